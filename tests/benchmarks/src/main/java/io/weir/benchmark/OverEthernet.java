package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.ContenderKind;
import io.weir.benchmark.contender.Scenario;
import io.weir.test.CProgram;
import io.weir.test.FrameRelay;
import io.weir.test.FrameRelay.Faults;
import io.weir.test.Networks;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Port;
import io.weir.test.Networks.Wire;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages directly on Ethernet beside TCP on the same wire, between two network namespaces: Weir over both paths, and
 * what a program in C gets over TCP and with frames that nobody acknowledges. Then all of it where a relay loses and
 * delays frames. All in turn.
 *
 * @param mtus of the wires, one after the other
 * @param rounds how often each is measured
 * @param length of one measurement
 * @param warm before the first one of each kind; a tenth of it before each further one
 * @param idle how long a pair is watched that does nothing
 */
record OverEthernet(List<Integer> mtus, int rounds, Duration length, Duration warm, Duration idle)
        implements InTurns<OverEthernet> {

    private static final String NEAR = "198.18.75.1";
    private static final String FAR = "198.18.75.2";
    private static final List<Integer> MTUS = List.of(1500, 9000);
    private static final String P4SOCK = "weir-p4sock";
    private static final String TCP = "weir-tcp";
    private static final String C_TCP = "C, tcp";
    private static final String C_FRAMES = "C, frames";
    private static final int LONG = 64 << 10;
    private static final double LOST = 0.01;
    private static final Duration DELAY = Duration.ofMillis(1);
    private static final Pattern P50 = Pattern.compile("\"p50Nanos\":([0-9.]+)");
    private static final Pattern RATE = Pattern.compile("\"gigabitsPerSecond\":([0-9.]+)");

    static OverEthernet full() {
        return new OverEthernet(MTUS, 5, Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(10));
    }

    static OverEthernet quick() {
        return new OverEthernet(MTUS, 1, Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));
    }

    @Override
    public OverEthernet withRounds(int more) {
        return new OverEthernet(mtus, more, length, warm, idle);
    }

    @Override
    public OverEthernet withLength(Duration other) {
        return new OverEthernet(mtus, rounds, other, warm, idle);
    }

    /**
     * Measures, and prints all figures.
     *
     * @param quiet whether the host has nothing else to do, without which the figures mean little
     * @throws IllegalStateException if there can be no networks here, saying why
     */
    List<Judgement> measure(
            boolean quiet, Processors processors, Workplace workplace, Consumer<String> progress, PrintStream out)
            throws IOException, InterruptedException {
        Path program = CProgram.compiled(OverEthernet.class, "ethernet.c", workplace.programs());
        List<Judgement> bars = new ArrayList<>();
        for (int mtu : mtus) {
            try (Networks networks = networks()) {
                Host near = networks.host("near");
                Host far = networks.host("far");
                Wire wire = networks.wire(near, far, mtu);
                Place place = new Place(program, processors, workplace.shared(), wire.first(), wire.second());
                sound(place, mtu, quiet, progress, out, bars);
            }
            try (Networks networks = networks()) {
                Host near = networks.host("near");
                Host middle = networks.host("middle");
                Host far = networks.host("far");
                Wire first = networks.wire(near, middle, mtu);
                Wire second = networks.wire(middle, far, mtu);
                Place place = new Place(program, processors, workplace.shared(), first.first(), second.second());
                try (FrameRelay relay = FrameRelay.between(first, second, 1)) {
                    faulty(relay, place, mtu, quiet, progress, out, bars);
                }
            }
        }
        return bars;
    }

    private static Networks networks() {
        try {
            return Networks.make();
        } catch (Networks.Unavailable e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private void sound(
            Place place, int mtu, boolean quiet, Consumer<String> progress, PrintStream out, List<Judgement> bars)
            throws IOException, InterruptedException {
        String where = "MTU " + mtu;
        try (Contest contest = new Contest(P4SOCK)) {
            Cell shortTrip = new Cell(Scenario.RTT, 32);
            Cell trip = new Cell(Scenario.RTT, 1 << 10);
            Cell oneWay = new Cell(Scenario.ONE_WAY, LONG);
            for (int round = 0; round < rounds; round++) {
                progress.accept(where + ": round " + (round + 1) + " of " + rounds);
                turn(contest, place, round, shortTrip, C_TCP, TCP, P4SOCK);
                turn(contest, place, round, trip, C_TCP, TCP, P4SOCK);
                turn(contest, place, round, oneWay, C_TCP, C_FRAMES, TCP, P4SOCK);
            }
            contest.print(where, out);
            for (Cell cell : List.of(shortTrip, trip)) {
                bars.add(contest.atMost(where, cell, C_TCP, 0.7, quiet));
                bars.add(contest.atMost(where, cell, TCP, 0.6, quiet));
            }
            bars.add(
                    mtu > 1500
                            ? contest.atLeast(where, oneWay, TCP, 0.9, quiet)
                            : contest.atLeast(where, oneWay, C_FRAMES, 0.7, quiet));
            if (mtu > 1500) {
                bars.add(rest(contest, place, where, quiet, out));
            }
        }
    }

    private void faulty(
            FrameRelay relay,
            Place place,
            int mtu,
            boolean quiet,
            Consumer<String> progress,
            PrintStream out,
            List<Judgement> bars)
            throws IOException, InterruptedException {
        String where = "MTU " + mtu + ", relay";
        Cell oneWay = new Cell(Scenario.ONE_WAY, LONG);
        try (Contest contest = new Contest(P4SOCK)) {
            double capacity = inC(place, C_FRAMES, oneWay);
            out.println(where + ": frames that nobody acknowledges, without faults, come through with "
                    + Figures.value(oneWay, capacity / LONG));
            relay.faults(Faults.NONE.dropping(LOST).delaying(DELAY, Duration.ZERO));
            for (int round = 0; round < rounds; round++) {
                progress.accept(where + ": round " + (round + 1) + " of " + rounds);
                turn(contest, place, round, oneWay, C_TCP, TCP, P4SOCK);
            }
            contest.print(where + ", 1 % lost, 1 ms later each way", out);
            bars.add(contest.atLeast(where + ", 1 % lost, 1 ms", oneWay, C_TCP, 3, quiet));
        }
    }

    /** Where programs run: the server's interface, and the client's. */
    private record Place(Path program, Processors processors, Path folder, Port server, Port client) {

        Place {
            server.address(FAR + "/24");
            client.address(NEAR + "/24");
        }

        Entrant jvms(ContenderKind kind) {
            return new PlacedEntrant(
                    new JvmEntrant(kind, processors, folder, List.of("-Dweir.benchmark.listen=" + FAR + ":0")),
                    new JvmEntrant(kind, processors, folder, List.of("-Dweir.benchmark.listen=" + NEAR + ":0")),
                    server.host()::command,
                    client.host()::command);
        }

        /** Runs the program in C at both, and returns what the measuring side has said. */
        String c(String kind, int size, Duration length) throws IOException, InterruptedException {
            boolean tcp = kind.startsWith("tcp-");
            List<String> sized = kind.startsWith("raw-stream") ? List.of() : List.of("--size", Integer.toString(size));
            Process serving = start(
                    server,
                    sized,
                    kind,
                    "serve",
                    tcp ? FAR : server.name(),
                    "--cpu",
                    Integer.toString(processors.server()));
            try {
                String armed = line(serving);
                if (!armed.startsWith("ARMED ")) {
                    throw new ChildFailed(kind + " said: " + armed);
                }
                Process measuring = start(
                        client,
                        sized,
                        kind,
                        "run",
                        tcp ? NEAR : client.name(),
                        armed.substring("ARMED ".length()),
                        "--seconds",
                        Double.toString(length.toMillis() / 1e3),
                        "--cpu",
                        Integer.toString(processors.client()));
                String said = line(measuring);
                measuring.waitFor();
                return said;
            } finally {
                serving.destroyForcibly().waitFor();
            }
        }

        private Process start(Port at, List<String> more, String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(program.toString()));
            command.addAll(List.of(arguments));
            command.addAll(more);
            return new ProcessBuilder(at.host().command(command))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        }

        private static String line(Process process) throws IOException {
            return String.valueOf(process.inputReader(StandardCharsets.UTF_8).readLine());
        }

        /** Frames that both ends have sent so far. */
        long frames() throws IOException {
            long all = 0;
            for (Port port : List.of(server, client)) {
                Process cat = new ProcessBuilder(port.host()
                                .command(List.of("cat", "/sys/class/net/" + port.name() + "/statistics/tx_packets")))
                        .start();
                all += Long.parseLong(line(cat));
            }
            return all;
        }
    }

    private void turn(Contest contest, Place place, int round, Cell cell, String... taking)
            throws IOException, InterruptedException {
        contest.turn(round, cell, List.of(taking), (who, first) -> measure(contest, place, who, cell, first));
    }

    private double measure(Contest contest, Place place, String who, Cell cell, boolean first)
            throws IOException, InterruptedException {
        return who.startsWith("C")
                ? inC(place, who, cell)
                : contest.best(
                        who,
                        place.jvms(who.equals(P4SOCK) ? ContenderKind.WEIR_P4SOCK : ContenderKind.WEIR_TCP),
                        cell,
                        first ? warm : warm.dividedBy(10),
                        length);
    }

    private double inC(Place place, String who, Cell cell) throws IOException, InterruptedException {
        boolean trip = cell.scenario() == Scenario.RTT;
        String kind = (who.equals(C_TCP) ? "tcp" : "raw") + (trip ? "-pingpong" : "-stream");
        String said = place.c(kind, cell.size(), length);
        Matcher figure = (trip ? P50 : RATE).matcher(said);
        if (!figure.find()) {
            throw new ChildFailed(kind + " said: " + said);
        }
        double value = Double.parseDouble(figure.group(1));
        return trip ? value : value * 1e9 / Byte.SIZE;
    }

    /** What a pair costs that has nothing to say. */
    private Judgement rest(Contest contest, Place place, String where, boolean quiet, PrintStream out)
            throws IOException, InterruptedException {
        Cell cell = new Cell(Scenario.IDLE, 32);
        Entrant entrant = place.jvms(ContenderKind.WEIR_P4SOCK);
        Pair pair = contest.pair(P4SOCK, entrant);
        long before = place.frames();
        Outcome outcome = pair.run(cell, entrant.variants(cell).get(0), Duration.ZERO, idle);
        double busier = Math.max(outcome.serverCores(), outcome.clientCores());
        out.println(String.format(
                Locale.ROOT,
                "%s: a pair that connects, has nothing to say for %.1f s, and goes, sends %d frames",
                where,
                idle.toMillis() / 1e3,
                place.frames() - before));
        out.println();
        return new Judgement(
                "idle, CPU of the busier process",
                P4SOCK,
                "-",
                "<= 1.00 %",
                Figures.percent(busier),
                "",
                busier / 0.01,
                quiet,
                Verdict.of(busier / 0.01));
    }
}
