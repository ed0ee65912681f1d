package io.weir.benchmark.gateway;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.DirectoryKind;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One of the programs in a row. Whoever listens takes and echoes what comes; all of them send when they are told to. It
 * obeys lines on its standard input and answers on its standard output, until its input ends:
 *
 * <pre>
 *                                            -> READY address, or - if it does not listen
 *   CONNECT name path address gateway        -> CONNECTED way
 *   SEND name size millis                    -> SENT bytes nanos
 *   ECHO name size millis                    -> ECHOED nanos
 * </pre>
 *
 * The gateway's address is {@code -} where there is none. Bytes and time are those that the receiver counts; an echo's
 * time is the median.
 */
public final class Station {

    /** In arguments and lines, for what there is not. */
    public static final String NONE = "-";

    private static final String TAKE = "take";
    private static final String ECHO = "echo";

    /** Each end of an echo asks for no more than the other one, so something has to be welcome unasked. */
    private static final int UNASKED = 16;

    /** Messages that are sent however long it takes, so that there is a rate. */
    private static final int LEAST = 8;

    private static final long LONGEST_NANOS = Duration.ofSeconds(60).toNanos();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final Map<String, Peer> peers = new HashMap<>();

    private Station(String name) {
        this.name = name;
    }

    /**
     * Arguments: its name, the address that it listens at, the paths that it has, and whom it leads others to as a
     * gateway.
     */
    public static void main(String[] arguments) throws IOException {
        Station station = new Station(arguments[0]);
        System.out.println("READY " + station.listen(arguments[1], arguments[2], arguments[3]));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            System.out.println(station.obey(line.split(" ", -1)));
        }
        System.exit(0);
    }

    private String listen(String address, String paths, String allow) {
        if (address.equals(NONE)) {
            return NONE;
        }
        Node node = start(spec(name, paths).listen(address));
        node.serve(TAKE, Station::take);
        node.serve(ECHO, channel -> channel.send(channel.receive(UNASKED)));
        if (!allow.equals(NONE)) {
            var unused = Gateway.serve(node, GatewaySpec.allowing(allow));
        }
        return node.address().toString();
    }

    private static NodeSpec.Builder spec(String name, String paths) {
        return NodeSpec.fromSystem().toBuilder()
                .name(name)
                .directory(DirectoryKind.OFF)
                .order(paths.split(",", -1))
                // Whoever connects says in which order paths are tried, not which ones there are.
                .path("shm", paths.contains("shm") ? PathSwitch.ON : PathSwitch.OFF)
                // Three JVMs begin at once.
                .handshakeTimeout(PATIENCE)
                .stepTimeout(PATIENCE)
                .headStart(PATIENCE);
    }

    private static Node start(NodeSpec.Builder spec) {
        return Node.start(spec.build()).blockOptional(PATIENCE).orElseThrow();
    }

    private static Mono<Void> take(Channel channel) {
        Count count = new Count();
        return channel.receive()
                .doOnNext(message -> {
                    count.add(message.size());
                    message.release();
                })
                .then(Mono.defer(() -> channel.send(Mono.just(Message.of(count.toString())))));
    }

    private String obey(String[] words) {
        return switch (words[0]) {
            case "CONNECT" -> "CONNECTED " + connect(words[1], words[2], words[3], words[4]);
            case "SEND" -> "SENT " + send(words[1], Integer.parseInt(words[2]), millis(words[3]));
            case "ECHO" -> "ECHOED " + echo(words[1], Integer.parseInt(words[2]), millis(words[3]));
            default -> throw new IllegalArgumentException("This is not understood: " + String.join(" ", words));
        };
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    /** Each connection has a node of its own: to a node that it is connected to, another one would not come up. */
    private String connect(String connection, String path, String address, String gateway) {
        Node node = start(spec(name + '-' + connection, path));
        PeerAddress target = PeerAddress.parse(address);
        Mono<Peer> connecting = gateway.equals(NONE)
                ? node.connect(target)
                : node.connect(PeerAddress.parse(gateway)).flatMap(first -> node.connect(target, first));
        Peer peer = connecting.blockOptional(PATIENCE).orElseThrow();
        peers.put(connection, peer);
        return peer.path().line();
    }

    private String send(String connection, int size, Duration length) {
        Channel channel = channel(connection, TAKE);
        byte[] content = new byte[size];
        long end = System.nanoTime() + length.toNanos();
        Flux<Message> messages = Flux.generate(() -> 0, (sent, sink) -> {
            if (sent < LEAST || System.nanoTime() - end < 0) {
                sink.next(message(channel, content));
            } else {
                sink.complete();
            }
            return sent + 1;
        });
        return channel.send(messages)
                .then(channel.receive().map(Station::text).last())
                .blockOptional(PATIENCE)
                .orElseThrow();
    }

    private long echo(String connection, int size, Duration length) {
        Channel channel = channel(connection, ECHO);
        Echoes echoes = new Echoes(System.nanoTime() + length.toNanos());
        byte[] content = new byte[size];
        Flux<Message> further = channel.receive(UNASKED).takeWhile(echoes::goOn).map(echo -> message(channel, content));
        channel.send(Flux.concat(Mono.fromSupplier(() -> message(channel, content)), further))
                .block(PATIENCE);
        return echoes.median();
    }

    private Channel channel(String connection, String port) {
        Peer peer = Objects.requireNonNull(peers.get(connection), connection);
        return peer.channel(port).blockOptional(PATIENCE).orElseThrow();
    }

    private static Message message(Channel channel, byte[] content) {
        return Message.of(channel.allocator().buffer(content.length).writeBytes(content));
    }

    private static String text(Message message) {
        try {
            return message.payload().toString(StandardCharsets.UTF_8);
        } finally {
            message.release();
        }
    }

    /** What has come, from the first message on, whose time is nobody's. */
    private static final class Count {

        private long bytes;
        private long begun;
        private long ended;

        void add(int size) {
            ended = System.nanoTime();
            if (begun == 0) {
                begun = ended;
            } else {
                bytes += size;
            }
        }

        @Override
        public String toString() {
            return bytes + " " + (ended - begun);
        }
    }

    private static final class Echoes {

        private final Histogram times = new Histogram(LONGEST_NANOS, 3);
        private final long end;
        private long latest = System.nanoTime();

        Echoes(long end) {
            this.end = end;
        }

        boolean goOn(Message echo) {
            echo.release();
            long now = System.nanoTime();
            times.recordValue(Math.min(now - latest, LONGEST_NANOS));
            latest = now;
            return now - end < 0;
        }

        long median() {
            return times.getValueAtPercentile(50);
        }
    }
}
