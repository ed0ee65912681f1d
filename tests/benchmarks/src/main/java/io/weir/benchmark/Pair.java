package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Lines;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.time.Duration;

/** The two processes of one entrant. They sleep whenever nothing is measured with them. */
final class Pair implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private final ChildProcess server;
    private final ChildProcess client;

    private Pair(ChildProcess server, ChildProcess client) {
        this.server = server;
        this.client = client;
    }

    static Pair start(Entrant entrant) throws IOException, InterruptedException {
        ChildProcess server = ChildProcess.start(entrant.label() + " server", entrant.serverCommand());
        try {
            ChildProcess client = ChildProcess.start(entrant.label() + " client", entrant.clientCommand());
            Pair pair = new Pair(server, client);
            pair.awaitReady();
            return pair;
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void awaitReady() throws InterruptedException {
        try {
            String unused = server.await("READY", START) + client.await("READY", START);
        } catch (InterruptedException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /**
     * Measures once.
     *
     * @throws ChildFailed if one of them could not; the pair is then to be closed
     */
    Outcome run(Cell cell, String variant, Duration warm, Duration length) throws InterruptedException {
        String what = cell.scenario().label() + ' ' + cell.size() + ' ';
        server.send("SERVE " + what + variant);
        String address = server.await("ARMED", PATIENCE);
        client.send("RUN " + what + seconds(warm) + ' ' + seconds(length) + ' ' + address + ' ' + variant);
        expect(client, "MEASURING", warm.plus(PATIENCE));
        boolean idle = cell.scenario() == Scenario.IDLE;
        if (idle) {
            // What was loaded to connect is still being compiled.
            Thread.sleep(length.toMillis() / 4);
        }
        Moment begun = moment();
        if (idle) {
            Thread.sleep(length.toMillis() / 2);
        }
        Moment halfway = moment();
        Measurement measured = Lines.measurement(client.await("RESULT", length.plus(PATIENCE)));
        // Telling the result is work as well.
        Moment ended = idle ? halfway : moment();
        server.send("STOP");
        long heldByServer = Long.parseLong(server.await("STOPPED", PATIENCE));
        return ended.since(begun, measured, heldByServer);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }

    private static void expect(ChildProcess child, String word, Duration patience) throws InterruptedException {
        String unused = child.await(word, patience);
    }

    private static String seconds(Duration duration) {
        return Double.toString(duration.toNanos() / 1e9);
    }

    private Moment moment() {
        return new Moment(
                HostLoad.now(),
                Usage.of(server.pid()),
                Usage.of(client.pid()),
                Usage.of(ProcessHandle.current().pid()));
    }

    private record Moment(HostLoad host, Usage server, Usage client, Usage runner) {

        /** What happened between then and now. */
        Outcome since(Moment earlier, Measurement measured, long heldByServer) {
            HostLoad load = host.since(earlier.host);
            double nanos = load.atNanos();
            double byServer = server.cpuNanosSince(earlier.server);
            double byClient = client.cpuNanosSince(earlier.client);
            double ours = byServer + byClient + runner.cpuNanosSince(earlier.runner);
            return new Outcome(
                    measured,
                    byServer / nanos,
                    byClient / nanos,
                    Math.max(0, (load.busyNanos() - ours) / nanos),
                    load.stolenNanos() / nanos,
                    server.rssBytes(),
                    client.rssBytes(),
                    server.switchesSince(earlier.server) / nanos * 1e9,
                    client.switchesSince(earlier.client) / nanos * 1e9,
                    heldByServer);
        }
    }
}
