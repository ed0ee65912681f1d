package io.weir.benchmark;

import io.weir.benchmark.gateway.Station;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source, a gateway and a sink in processes of their own, and the ways between them. */
final class Row implements AutoCloseable {

    /** Between which two something is sent, and how. */
    enum Way {
        SHM("shm leg"),
        TCP("tcp leg"),
        GATEWAY("gateway"),
        /** From the source to the sink over tcp; the kernel of the middle network forwards packets. */
        ROUTED("kernel routing");

        private final String words;

        Way(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * What was sent.
     *
     * @param gatewayNanos processor time of the gateway meanwhile
     * @param allNanos that of all three
     */
    record Sent(long bytes, long nanos, long gatewayNanos, long allNanos) {

        double rate() {
            return bytes * 1e9 / nanos;
        }

        double gatewaySecondsPerGigabyte() {
            return (double) gatewayNanos / bytes;
        }

        double allSecondsPerGigabyte() {
            return (double) allNanos / bytes;
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LOOPBACK = "127.0.0.1";

    private final @Nullable ThreeNetworks networks;
    private final List<ChildProcess> children = new ArrayList<>();
    private final String secret;

    private Row(@Nullable ThreeNetworks networks) {
        this.networks = networks;
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        secret = HexFormat.of().formatHex(random);
    }

    /** Starts and connects them; without networks of their own, all on one host, and without what is routed. */
    static Row start(@Nullable ThreeNetworks networks) throws IOException, InterruptedException {
        Row row = new Row(networks);
        try {
            row.begin();
            return row;
        } catch (IOException | InterruptedException | RuntimeException e) {
            row.close();
            throw e;
        }
    }

    List<Way> ways() {
        return networks == null ? List.of(Way.SHM, Way.TCP, Way.GATEWAY) : List.of(Way.values());
    }

    private void begin() throws IOException, InterruptedException {
        String middle = networks == null ? LOOPBACK : ThreeNetworks.MIDDLE;
        String far = networks == null ? LOOPBACK : ThreeNetworks.FAR;
        String sink = station("sink", "tcp://" + far + ":0", "tcp", Station.NONE);
        String gateway = station("gateway", "tcp://" + middle + ":0", "shm,tcp", far);
        var unused = station("source", Station.NONE, "tcp", Station.NONE);
        connect(Way.SHM, "shm", gateway, Station.NONE);
        connect(Way.TCP, "tcp", sink, Station.NONE);
        connect(Way.GATEWAY, "shm", sink, gateway);
        if (networks != null) {
            connect(Way.ROUTED, "tcp", sink, Station.NONE);
        }
    }

    private String station(String name, String address, String paths, String allow)
            throws IOException, InterruptedException {
        List<String> java = List.of(
                "env",
                "WEIR_SECURITY_SECRET=" + secret,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Station.class.getName(),
                name,
                address,
                paths,
                allow);
        List<String> command = java;
        if (networks != null) {
            command = switch (name) {
                case "sink" -> networks.inFar(java);
                case "gateway" -> networks.inMiddle(java);
                default -> networks.inNear(java);
            };
        }
        ChildProcess child = ChildProcess.start(name, command);
        children.add(child);
        return child.await("READY", PATIENCE);
    }

    private void connect(Way way, String path, String address, String gateway) throws InterruptedException {
        from(way).send(String.join(" ", "CONNECT", way.name(), path, address, gateway));
        String line = from(way).await("CONNECTED", PATIENCE);
        String expected = way == Way.GATEWAY ? "over gateway " : "over " + path + ' ';
        if (!line.contains(expected)) {
            throw new IllegalStateException("The " + way + " is not there: " + line);
        }
    }

    private ChildProcess gateway() {
        return children.get(1);
    }

    /** The leg over tcp alone begins where the gateway is. */
    private ChildProcess from(Way way) {
        return way == Way.TCP ? gateway() : children.get(2);
    }

    /** Sends messages of this size for so long. */
    Sent send(Way way, int size, Duration length) throws InterruptedException {
        long gatewayBefore = cpuNanos(gateway());
        long allBefore = cpuNanos();
        String[] words = tell(way, "SEND", size, length, "SENT").split(" ", -1);
        return new Sent(
                Long.parseLong(words[0]),
                Long.parseLong(words[1]),
                cpuNanos(gateway()) - gatewayBefore,
                cpuNanos() - allBefore);
    }

    /** Sends messages of this size to and fro, one by one, for so long; nanoseconds of half of the round trips. */
    double echo(Way way, int size, Duration length) throws InterruptedException {
        return Double.parseDouble(tell(way, "ECHO", size, length, "ECHOED"));
    }

    private long cpuNanos() {
        return children.stream().mapToLong(Row::cpuNanos).sum();
    }

    private static long cpuNanos(ChildProcess child) {
        return Usage.of(child.pid()).cpuNanos();
    }

    private String tell(Way way, String what, int size, Duration length, String answer) throws InterruptedException {
        from(way).send(String.join(" ", what, way.name(), Integer.toString(size), Long.toString(length.toMillis())));
        return from(way).await(answer, PATIENCE);
    }

    @Override
    public void close() {
        children.forEach(ChildProcess::close);
    }
}
