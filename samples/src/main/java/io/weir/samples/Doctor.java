package io.weir.samples;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.samples.InfoReport.PathInfo;
import io.weir.samples.InfoReport.Verdict;
import io.weir.samples.process.Cast;
import io.weir.samples.process.OnePath;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code weir doctor gm} */
@Command(
        name = "doctor",
        description = {
            "Tries paths between two processes of this host, step by step, and tells what",
            "holds: that messages of all kinds of length come back as they were, in order,",
            "and wake who sleeps; and how long that takes."
        },
        footer = {"", "Exits with 0 if all holds, with 1 if not.", "", "For example: weir doctor gm"},
        mixinStandardHelpOptions = true)
public final class Doctor implements Callable<Integer> {

    private static final int DONE = 0;
    private static final int FAILED = 1;

    private static final List<String> HOST = List.of("system", "java", "user");

    private static final String ECHO = "echo";
    private static final String THROUGH = "through";

    /**
     * Where adapters begin to send otherwise: their slots end near the first, and what is longer than the second is
     * read by the peer.
     */
    private static final int[] CHANGES = {4096, 40960};

    private static final int LONGEST_OF_ALL_KINDS = 1 << 20;
    private static final int LONGEST = 8 << 20;
    private static final int SMALL = 32;
    private static final int MANY = 100_000;
    private static final int SLEEPS = 20;
    private static final Duration ASLEEP = Duration.ofMillis(50);
    private static final int QUESTIONS = 20_000;
    /** On a machine with much else to do, fewer questions are enough. */
    private static final Duration ASKING = Duration.ofSeconds(10);

    @Spec
    private CommandSpec command;

    @Parameters(
            paramLabel = "PATH",
            arity = "0..*",
            description = "Which ones: shm, tcp and so on. Default: all that are ready.")
    private List<String> paths = new ArrayList<>();

    /** A step of the examination, which tells what it has seen. */
    private record Step(String name, Supplier<String> seen) {}

    /** The other process. */
    public static void main(String[] arguments) throws IOException {
        Serving.until(Serving.spec("second"), Doctor::serve);
    }

    private static void serve(Node node) {
        node.answer(ECHO, Mono::just);
        node.serve(THROUGH, channel -> channel.send(channel.receive()));
    }

    @Override
    public Integer call() {
        List<PathInfo> chosen = chosen();
        Map<String, String> host = HostFacts.of(NodeSpec.fromSystem());
        HOST.forEach(fact -> row(fact, String.valueOf(host.get(fact))));
        boolean all = true;
        for (PathInfo each : chosen) {
            out().println();
            all &= examine(each);
        }
        return all ? DONE : FAILED;
    }

    /** Before anything is started, so that a wrong name is refused at once. */
    private List<PathInfo> chosen() {
        try {
            for (String path : paths) {
                var unused = OnePath.spec("doctor", path);
            }
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return InfoReport.of(NodeSpec.fromSystem(), Info.adapters()).paths().stream()
                .filter(info -> paths.isEmpty()
                        // Nobody gets from one process to another over that.
                        ? info.verdict() == Verdict.READY && !info.path().equals("local")
                        : paths.contains(info.path()))
                .toList();
    }

    private boolean examine(PathInfo info) {
        row(info.path(), info.verdict() + (info.details().isEmpty() ? "" : ": " + info.details()));
        if (info.verdict() != Verdict.READY) {
            return false;
        }
        NodeSpec spec = OnePath.spec("doctor", info.path());
        try (Cast cast = new Cast(info.path(), spec, out())) {
            Peer peer = cast.start("second", Doctor.class);
            List<Step> steps = List.of(
                    new Step("its memory", () -> lengths(cast, peer, peer.allocator())),
                    new Step("other memory", () -> lengths(cast, peer, UnpooledByteBufAllocator.DEFAULT)),
                    new Step("in order", () -> order(cast, peer)),
                    new Step("asleep", () -> sleeps(cast, peer)),
                    new Step("asked", () -> asked(cast, peer)));
            boolean all = true;
            for (Step step : steps) {
                all &= holds(step);
            }
            row("so", info.path() + (all ? " works here" : " does not do all that it should"));
            return all;
        } catch (WeirException | ProgramFailed e) {
            row("FAILED", String.valueOf(e.getMessage()));
            return false;
        }
    }

    private boolean holds(Step step) {
        try {
            row(step.name(), step.seen().get());
            return true;
        } catch (WeirException | ProgramFailed e) {
            row(step.name(), "FAILED: " + e.getMessage());
            return false;
        }
    }

    /** Where an adapter, a slot or a piece of memory could end. */
    private static List<Integer> someLengths() {
        TreeSet<Integer> lengths = new TreeSet<>();
        lengths.add(0);
        for (int power = 1; power <= LONGEST_OF_ALL_KINDS; power *= 2) {
            lengths.addAll(List.of(power - 1, power, power + 1));
        }
        for (int change : CHANGES) {
            for (int below = 0; below <= 128; below += Long.BYTES) {
                lengths.add(change - below);
            }
        }
        lengths.add(LONGEST);
        return List.copyOf(lengths);
    }

    private static String lengths(Cast cast, Peer peer, ByteBufAllocator allocator) {
        byte[] content = new byte[LONGEST];
        new Random(1).nextBytes(content);
        List<Integer> lengths = someLengths();
        for (int length : lengths) {
            Message answer = cast.await(peer.ask(ECHO, message(allocator, content, length)));
            try {
                ByteBuffer expected = ByteBuffer.wrap(content, content.length - length, length);
                // At once, since a leak detector looks at each access of a buffer of Netty's.
                if (!answer.payload().nioBuffer().equals(expected)) {
                    throw new ProgramFailed("a message of " + length + " bytes has come back as another one");
                }
            } finally {
                answer.release();
            }
        }
        return lengths.size() + " messages of 0 B to " + (LONGEST >> 20) + " MiB have come back as they were";
    }

    /** The last ones of what there is, so that no two lengths begin alike. */
    private static Message message(ByteBufAllocator allocator, byte[] content, int length) {
        return Message.of(allocator.buffer(length, length).writeBytes(content, content.length - length, length));
    }

    private static String order(Cast cast, Peer peer) {
        ByteBufAllocator allocator = peer.allocator();
        Flux<Message> source = Flux.range(0, MANY)
                .map(number -> Message.of(
                        allocator.buffer(SMALL, SMALL).writeLong(number).writeZero(SMALL - Long.BYTES)));
        int seen = cast.await(peer.exchange(THROUGH, source).map(Doctor::number).reduce(0, Doctor::next));
        if (seen != MANY) {
            throw new ProgramFailed("of " + MANY + " messages " + seen + " have come back");
        }
        return seen + " messages of " + SMALL + " B have come back in order";
    }

    private static long number(Message message) {
        try {
            return message.payload().getLong(message.payload().readerIndex());
        } finally {
            message.release();
        }
    }

    private static int next(int expected, long number) {
        if (number != expected) {
            throw new ProgramFailed("message " + number + " has come where message " + expected + " should");
        }
        return expected + 1;
    }

    private static String sleeps(Cast cast, Peer peer) {
        long[] nanos = new long[SLEEPS];
        for (int i = 0; i < SLEEPS; i++) {
            nanos[i] = cast.await(Mono.delay(ASLEEP).then(trip(peer)));
        }
        Arrays.sort(nanos);
        return SLEEPS + " messages, each after a pause of " + ASLEEP.toMillis() + " ms, were answered within "
                + micros(nanos[SLEEPS - 1]);
    }

    private static String asked(Cast cast, Peer peer) {
        List<Long> nanos = cast.await(Flux.range(0, QUESTIONS)
                .concatMap(i -> trip(peer), 0)
                .take(ASKING)
                .collectSortedList());
        if (nanos.isEmpty()) {
            throw new ProgramFailed("Nobody has answered within " + ASKING.toSeconds() + " s");
        }
        return nanos.size() + " messages, one after the other: half were answered within "
                + micros(nanos.get(nanos.size() / 2)) + ", one in a hundred not within "
                + micros(nanos.get(nanos.size() * 99 / 100));
    }

    /** In nanoseconds. */
    private static Mono<Long> trip(Peer peer) {
        return Mono.defer(() -> {
            Message message = Message.of(peer.allocator().buffer(SMALL, SMALL).writeZero(SMALL));
            long begun = System.nanoTime();
            return peer.ask(ECHO, message).map(answer -> {
                answer.release();
                return System.nanoTime() - begun;
            });
        });
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }

    private void row(String label, String text) {
        out().printf("  %-13s %s%n", label, text);
        out().flush();
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
