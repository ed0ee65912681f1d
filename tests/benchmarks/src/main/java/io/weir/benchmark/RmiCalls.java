package io.weir.benchmark;

import io.weir.benchmark.rmi.AdderClient;
import io.weir.benchmark.rmi.AdderServer;
import io.weir.benchmark.rmi.OverWeir;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * How often in a second a program calls another one by Java RMI: over shared memory, and over loopback TCP with the
 * JDK's own sockets. Two processes each, in turn.
 *
 * @param rounds how often each is measured, after a time that does not count
 * @param length of one measurement
 */
record RmiCalls(int rounds, Duration length) {

    private static final double FACTOR = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Until nothing is compiled any more: on a busy machine that takes seconds. */
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    static RmiCalls full() {
        return new RmiCalls(9, Duration.ofSeconds(2));
    }

    static RmiCalls quick() {
        return new RmiCalls(3, Duration.ofMillis(500));
    }

    /** @param quiet whether the host has nothing else to do, without which the figures mean little */
    List<Judgement> measure(boolean quiet, Consumer<String> progress) throws IOException, InterruptedException {
        try (Couple kernel = Couple.start(false);
                Couple weir = Couple.start(true)) {
            double[] theirs = new double[rounds];
            double[] ours = new double[rounds];
            var unused = kernel.rate(WARM_UP);
            unused = weir.rate(WARM_UP);
            for (int i = 0; i < rounds; i++) {
                theirs[i] = kernel.rate(length);
                ours[i] = weir.rate(length);
                progress.accept("rmi: " + Math.round(theirs[i]) + " calls/s over loopback, " + Math.round(ours[i])
                        + " over shm");
            }
            return List.of(judge(Figures.median(ours), Figures.median(theirs), quiet));
        }
    }

    private static Judgement judge(double ours, double theirs, boolean quiet) {
        return new Judgement(
                "Java RMI, calls one by one",
                "weir-shm",
                "a number",
                ">= " + Figures.ratio(FACTOR) + " x loopback",
                Figures.ratio(ours / 1000) + " k/s",
                Figures.ratio(theirs / 1000) + " k/s",
                ours / theirs,
                quiet,
                Verdict.of(FACTOR * theirs / ours));
    }

    /** A server and its client. */
    private record Couple(ChildProcess server, ChildProcess client) implements AutoCloseable {

        static Couple start(boolean overWeir) throws IOException, InterruptedException {
            String port = Integer.toString(free());
            ChildProcess server = start(overWeir, "server", port);
            try {
                var unused = server.await("READY", PATIENCE);
                Couple couple = new Couple(server, start(overWeir, "client", port));
                var unusedPort = couple.client.await("READY", PATIENCE);
                return couple;
            } catch (ChildFailed | IOException e) {
                server.close();
                throw e;
            }
        }

        private static ChildProcess start(boolean overWeir, String role, String port) throws IOException {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of(
                    "-Xmx256m",
                    "--enable-native-access=ALL-UNNAMED",
                    "-Djava.rmi.server.hostname=127.0.0.1",
                    "-Dweir.transport.shm=required",
                    "-cp",
                    System.getProperty("java.class.path")));
            if (overWeir) {
                command.addAll(List.of(OverWeir.class.getName(), role));
            } else {
                Class<?> main = role.equals("server") ? AdderServer.class : AdderClient.class;
                command.add(main.getName());
            }
            command.add(port);
            return ChildProcess.start("rmi-" + role, command);
        }

        private static int free() throws IOException {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            }
        }

        double rate(Duration length) throws InterruptedException {
            client.send(Long.toString(length.toMillis()));
            return Double.parseDouble(client.await("CALLS", PATIENCE));
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }
}
