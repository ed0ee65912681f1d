package io.weir.hostile;

import io.netty.util.internal.PlatformDependent;
import io.weir.channel.Channel;
import io.weir.channel.Mailbox;
import io.weir.channel.Match;
import io.weir.channel.Node;
import io.weir.channel.Received;
import io.weir.config.NodeSpec;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.memory.MemoryStats;
import io.weir.service.Services;
import io.weir.service.socket.WeirSockets;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Two nodes that are attacked: one that lets everybody in, one with the secret {@link #SECRET}, which serve the same.
 * They are configured by the arguments, {@code weir.setting=value}.
 *
 * <p>Prints their addresses, and the path of a Unix-domain socket of the first one, where there are such. On a line
 * {@code take} it empties its mailboxes and closes its sockets; on a line {@code waited} it prints {@link #waited}; on
 * a line {@code memory} it prints what it holds, see {@link #memory}; on a line {@code starve} it takes all of its own
 * heap for a while; at the end of its input it ends.
 */
public final class Victim {

    public static final String SECRET = "only those who are welcome know this";

    private static final int ANSWER = 100 << 10;
    private static final int LONG_ANSWER = 1 << 20;
    private static final int TICK = 8;
    private static final int LARGEST_PIECE = 1 << 16;
    private static final Duration STARVED = Duration.ofSeconds(3);
    private static final int READERS = 300;
    private static final Duration LATE = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(2);

    private static final Duration KEPT = Duration.ofMillis(300);

    private static final Codec<Order> ORDER = Codecs.cbor(Order.class);
    private static final Codec<Object> ANYTHING = Codecs.cbor(Object.class);

    private final List<Node> nodes;
    private final List<Mailbox> boxes = new ArrayList<>();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final Scheduler others = Schedulers.newParallel("others", 2, true);

    /** What the ports {@code cbor} and {@code cbor-answers} take. */
    public record Order(String item, int quantity) {}

    /** A service that takes its time, and keeps what it was called with meanwhile. */
    public interface Keeper {

        String keep(Object value);
    }

    private static final class Sleeper implements Keeper {

        @Override
        public String keep(Object value) {
            try {
                Thread.sleep(KEPT.toMillis());
            } catch (InterruptedException givenUp) {
                Thread.currentThread().interrupt();
            }
            return value.getClass().getName();
        }
    }

    private Victim(Map<String, String> settings) {
        Node open = start("open", NodeSpec.builder().properties(settings).require(Requirement.NONE));
        Node secret = start("secret", NodeSpec.builder().properties(settings).secret(Secret.of(SECRET)));
        nodes = List.of(open, secret);
        nodes.forEach(this::serve);
    }

    private static Node start(String name, NodeSpec.Builder spec) {
        return Node.start(spec.name(name).listen("tcp://127.0.0.1:0").build())
                .blockOptional()
                .orElseThrow();
    }

    private void serve(Node node) {
        node.serve("echo", channel -> channel.send(channel.receive()));
        node.serve(
                "sink", channel -> channel.receive().doOnNext(Message::release).then());
        node.serve("still", channel -> Mono.never());
        node.serve("ticks", channel -> channel.send(ticks()));
        node.serve("never", channel -> Mono.create(done -> channel.receive().subscribe(new Never(done))));
        node.answer("greet", message -> {
            message.release();
            return Mono.just(Message.of("hello"));
        });
        node.answer("answers", message -> {
            message.release();
            return Mono.just(Message.of(new byte[ANSWER]));
        });
        node.answer("long-answers", message -> {
            message.release();
            return Mono.just(Message.of(new byte[LONG_ANSWER]));
        });
        node.answer("late-answers", message -> {
            message.release();
            return Mono.delay(LATE, others).map(late -> Message.of(new byte[ANSWER]));
        });
        node.serve("cbor", Victim::orders);
        node.answer("cbor-answers", ORDER, ORDER, Mono::just);
        node.answer(
                "kept",
                ANYTHING,
                Codecs.text(),
                value -> Mono.delay(KEPT, others).map(late -> value.getClass().getName()));
        var unused = Services.open(node)
                .flatMap(services -> services.export(Keeper.class, new Sleeper()))
                .block();
        // Kept and never looked at.
        boxes.add(node.mailbox("box"));
        Mailbox read = node.mailbox("box-read");
        read.concatMap(received -> Mono.delay(SLOW, others).then(Mono.defer(() -> take(received))), 0)
                .subscribe();
        boxes.add(read);
        Mailbox chosen = node.mailbox("box-chosen");
        for (int reader = 0; reader < READERS; reader++) {
            chosen.matching(Match.control("kind", "k" + reader)).subscribe(Received::release);
        }
        boxes.add(chosen);
        try {
            ServerSocket server =
                    WeirSockets.of(node).serverSocket(node.address().port());
            Thread accepting = new Thread(() -> accept(server), "accepting");
            accepting.setDaemon(true);
            accepting.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sockets from which nobody reads. */
    private void accept(ServerSocket server) {
        try {
            while (true) {
                sockets.add(server.accept());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Short messages without an end. */
    private static Flux<Message> ticks() {
        return Flux.<byte[]>generate(sink -> sink.next(new byte[TICK])).map(Message::of);
    }

    private String socket() throws IOException {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "";
        }
        Path path = Files.createTempDirectory("weir-victim-").resolve("socket");
        var unused = nodes.get(0).listen(PeerAddress.parse("unix:" + path)).block();
        return path.toString();
    }

    private static Mono<Void> orders(Channel channel) {
        return channel.receive(ORDER).then();
    }

    private static Mono<Void> take(Received received) {
        if (received.awaitsAnswer()) {
            // Who asked may be gone; that concerns nobody else.
            return received.answer(received.message().retain()).onErrorResume(gone -> Mono.empty());
        }
        received.release();
        return Mono.empty();
    }

    /** Receives and asks for nothing. */
    private static final class Never extends BaseSubscriber<Message> {

        private final MonoSink<Void> done;

        Never(MonoSink<Void> done) {
            this.done = done;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            done.onCancel(subscription::cancel);
        }

        @Override
        protected void hookOnNext(Message message) {
            message.release();
        }

        @Override
        protected void hookOnComplete() {
            done.success();
        }

        @Override
        protected void hookOnError(Throwable error) {
            done.error(error);
        }
    }

    /** Takes out what is in the mailboxes, and closes the sockets. */
    private void take() throws IOException {
        for (Socket each; (each = sockets.poll()) != null; ) {
            each.close();
        }
        for (Mailbox box : boxes) {
            Disposable reader = box.subscribe(Received::release);
            while (box.size() > 0) {
                Thread.onSpinWait();
            }
            reader.dispose();
        }
    }

    /**
     * One line of {@code name=number}, in bytes where it is about memory, and at its end why a node has failed, or
     * {@code none}.
     */
    private String memory() throws IOException {
        System.gc();
        Map<String, Long> figures = new HashMap<>();
        figures.put(
                "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        figures.put(
                "direct",
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum());
        figures.put("netty", PlatformDependent.usedDirectMemory());
        for (Node node : nodes) {
            MemoryStats stats = node.memory();
            figures.merge("total", stats.total(), Long::sum);
            figures.merge("used", stats.used(), Long::sum);
            stats.uses().forEach((use, bytes) -> figures.merge("use-" + use, bytes, Long::sum));
            figures.merge("peers", (long) node.connected().size(), Long::sum);
            figures.merge("stalls", node.stalls(), Long::sum);
        }
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            figures.put("descriptors", open.count());
        }
        figures.put("loops", loops());
        StringBuilder line = new StringBuilder();
        figures.forEach(
                (name, value) -> line.append(name).append('=').append(value).append(' '));
        return line.append("failure=").append(failure()).toString();
    }

    /**
     * Another part of the program uses up the heap again and again, so that whoever needs memory meanwhile finds none.
     * That part has threads of its own: a JVM without memory throws away whole frames of compiled code, with what they
     * catch, and so ends the thread.
     */
    private static void starve() throws InterruptedException {
        long end = System.nanoTime() + STARVED.toNanos();
        while (System.nanoTime() < end) {
            Thread hungry = new Thread(() -> fillUntil(end), "hungry");
            hungry.start();
            hungry.join();
        }
    }

    private static void fillUntil(long end) {
        while (System.nanoTime() < end) {
            Object[] held = null;
            int length = LARGEST_PIECE;
            while (length > 0) {
                try {
                    Object[] piece = new Object[length];
                    piece[0] = held;
                    held = piece;
                } catch (OutOfMemoryError full) {
                    length /= 2;
                }
            }
        }
    }

    /**
     * For how many milliseconds the loop of the node that lets everybody in was ready to run and had no processor,
     * since it has started; 0 where the kernel does not say.
     */
    private static long waited() throws IOException {
        Path tasks = Path.of("/proc/self/task");
        if (Files.notExists(tasks)) {
            return 0;
        }
        try (Stream<Path> threads = Files.list(tasks)) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).startsWith("weir-open")) {
                    String[] words =
                            Files.readString(thread.resolve("schedstat")).split(" ");
                    return Duration.ofNanos(Long.parseLong(words[1])).toMillis();
                }
            }
        }
        return 0;
    }

    private static long loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("weir-")
                        && !thread.getName().startsWith("weir-call-"))
                .count();
    }

    private String failure() {
        return nodes.stream()
                .flatMap(node -> node.failure().stream())
                .map(Throwable::toString)
                .findFirst()
                .orElse("none");
    }

    /** Answers a line, and tries again while the heap is full: what fills it may not have been given back yet. */
    private void obey(String line) throws IOException, InterruptedException {
        boolean said = false;
        while (!said) {
            try {
                byte[] answer = (answer(line) + '\n').getBytes(StandardCharsets.UTF_8);
                // In one piece, which needs no memory of the heap.
                System.out.write(answer, 0, answer.length);
                System.out.flush();
                said = true;
            } catch (OutOfMemoryError full) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    private String answer(String line) throws IOException, InterruptedException {
        return switch (line) {
            case "take" -> {
                take();
                yield "taken";
            }
            case "starve" -> {
                starve();
                yield "starved";
            }
            case "waited" -> "waited " + waited();
            case "memory" -> "memory " + memory();
            default -> throw new IllegalArgumentException("there is no command " + line);
        };
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        Victim victim = new Victim(settings);
        victim.nodes.forEach(node -> System.out.println("address " + node.address()));
        System.out.println("socket " + victim.socket());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            victim.obey(line);
        }
        System.exit(0);
    }
}
