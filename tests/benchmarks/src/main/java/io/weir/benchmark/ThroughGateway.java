package io.weir.benchmark;

import io.weir.benchmark.Row.Sent;
import io.weir.benchmark.Row.Way;
import io.weir.test.Networks;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What gets through a gateway between a leg over shared memory and one over tcp, beside each leg alone, and beside the
 * kernel that routes packets of tcp through the same network. All in turn.
 *
 * @param rounds how often each is measured, after one time that does not count
 * @param length of one measurement of what is sent; round trips take half of it
 */
record ThroughGateway(int rounds, Duration length) implements InTurns<ThroughGateway> {

    private static final double BAR = 0.8;
    private static final List<Integer> SIZES =
            List.of(1 << 10, 4 << 10, 16 << 10, 64 << 10, 100_000, 256 << 10, 1 << 20);
    private static final List<Integer> JUDGED = List.of(100_000, 1 << 20);

    /** What came of one way and size, in each round. */
    private static final class Figure {

        final List<Double> rates = new ArrayList<>();
        final List<Double> times = new ArrayList<>();
        final List<Double> gateway = new ArrayList<>();
        final List<Double> processors = new ArrayList<>();

        void add(Sent sent, double roundTrip) {
            rates.add(sent.rate());
            times.add(roundTrip);
            gateway.add(sent.gatewaySecondsPerGigabyte());
            processors.add(sent.allSecondsPerGigabyte());
        }

        double rate() {
            return median(rates);
        }

        double roundTrip() {
            return median(times);
        }

        double gatewaySecondsPerGigabyte() {
            return median(gateway);
        }

        double allSecondsPerGigabyte() {
            return median(processors);
        }

        private static double median(List<Double> values) {
            return Figures.median(values.stream().mapToDouble(value -> value).toArray());
        }
    }

    static ThroughGateway full() {
        return new ThroughGateway(7, Duration.ofMillis(500));
    }

    static ThroughGateway quick() {
        return new ThroughGateway(1, Duration.ofMillis(100));
    }

    @Override
    public ThroughGateway withRounds(int more) {
        return new ThroughGateway(more, length);
    }

    @Override
    public ThroughGateway withLength(Duration other) {
        return new ThroughGateway(rounds, other);
    }

    /**
     * Measures, and prints all figures.
     *
     * @param quiet whether the host has nothing else to do, without which the figures mean little
     */
    List<Judgement> measure(boolean quiet, Consumer<String> progress, PrintStream out)
            throws IOException, InterruptedException {
        try (ThreeNetworks networks = networks(out);
                Row row = Row.start(networks)) {
            Map<Integer, Map<Way, Figure>> all = measure(row, progress);
            rates(row.ways(), all).print(out);
            out.println();
            table("round trip", row.ways(), all, figure -> Figures.micros(figure.roundTrip()))
                    .print(out);
            out.println();
            table("CPU s/GB, all three", row.ways(), all, figure -> Figures.ratio(figure.allSecondsPerGigabyte()))
                    .print(out);
            out.println();
            out.println(crossover(all, "throughput", (ours, kernel) -> ours.rate() >= kernel.rate()));
            out.println(crossover(all, "round trip", (ours, kernel) -> ours.roundTrip() <= kernel.roundTrip()));
            return JUDGED.stream()
                    .map(size -> judge(size, Objects.requireNonNull(all.get(size)), quiet))
                    .toList();
        }
    }

    private static @Nullable ThreeNetworks networks(PrintStream out) {
        try {
            return ThreeNetworks.make();
        } catch (Networks.Unavailable e) {
            out.println("All on one host, and nothing is routed, as there are no networks for it: " + e.getMessage());
            return null;
        }
    }

    private Map<Integer, Map<Way, Figure>> measure(Row row, Consumer<String> progress) throws InterruptedException {
        Map<Integer, Map<Way, Figure>> all = new TreeMap<>();
        for (int round = -1; round < rounds; round++) {
            progress.accept(round < 0 ? "gateway: warming up" : "gateway: round " + (round + 1) + " of " + rounds);
            for (int size : SIZES) {
                Map<Way, Figure> figures = all.computeIfAbsent(size, unused -> new EnumMap<>(Way.class));
                for (Way way : row.ways()) {
                    Sent sent = row.send(way, size, length);
                    double roundTrip = row.echo(way, size, length.dividedBy(2));
                    if (round >= 0) {
                        figures.computeIfAbsent(way, unused -> new Figure()).add(sent, roundTrip);
                    }
                }
            }
        }
        return all;
    }

    private static Table rates(List<Way> ways, Map<Integer, Map<Way, Figure>> all) {
        Table table = new Table(head("one way", ways, "gateway over slower leg", "gateway's CPU s/GB")
                .toArray(String[]::new));
        all.forEach((size, figures) -> {
            List<String> row = row(size, ways, figures, figure -> gigabytes(figure.rate()));
            row.add(Figures.ratio(overSlowerLeg(figures)));
            row.add(Figures.ratio(of(figures, Way.GATEWAY).gatewaySecondsPerGigabyte()));
            table.row(row);
        });
        return table;
    }

    private static Table table(
            String what, List<Way> ways, Map<Integer, Map<Way, Figure>> all, Function<Figure, String> text) {
        Table table = new Table(head(what, ways).toArray(String[]::new));
        all.forEach((size, figures) -> table.row(row(size, ways, figures, text)));
        return table;
    }

    private static List<String> head(String what, List<Way> ways, String... more) {
        List<String> head = new ArrayList<>(List.of(what));
        ways.forEach(way -> head.add(way.toString()));
        head.addAll(List.of(more));
        return head;
    }

    private static List<String> row(int size, List<Way> ways, Map<Way, Figure> figures, Function<Figure, String> text) {
        List<String> row = new ArrayList<>(List.of(label(size)));
        ways.forEach(way -> row.add(text.apply(of(figures, way))));
        return row;
    }

    /** From which size on the gateway is at least as good as the kernel. */
    private static String crossover(
            Map<Integer, Map<Way, Figure>> all, String what, BiPredicate<Figure, Figure> asGood) {
        String from = "";
        for (Map.Entry<Integer, Map<Way, Figure>> each : all.entrySet()) {
            Figure kernel = each.getValue().get(Way.ROUTED);
            if (kernel == null) {
                return what + ": nothing is routed";
            }
            if (!asGood.test(of(each.getValue(), Way.GATEWAY), kernel)) {
                from = "";
            } else if (from.isEmpty()) {
                from = label(each.getKey());
            }
        }
        return what + ": the gateway is as good as kernel routing "
                + (from.isEmpty() ? "nowhere" : "from " + from + " on");
    }

    private static Judgement judge(int size, Map<Way, Figure> figures, boolean quiet) {
        double ratio = overSlowerLeg(figures);
        return new Judgement(
                "one way through a gateway, shm - tcp",
                "weir-gateway",
                label(size),
                ">= " + Figures.ratio(BAR) + " x its slower leg",
                gigabytes(of(figures, Way.GATEWAY).rate()),
                gigabytes(slowerLeg(figures)),
                ratio,
                quiet,
                Verdict.of(BAR / ratio));
    }

    private static double overSlowerLeg(Map<Way, Figure> figures) {
        return of(figures, Way.GATEWAY).rate() / slowerLeg(figures);
    }

    private static double slowerLeg(Map<Way, Figure> figures) {
        return Math.min(of(figures, Way.SHM).rate(), of(figures, Way.TCP).rate());
    }

    private static Figure of(Map<Way, Figure> figures, Way way) {
        return Objects.requireNonNull(figures.get(way), way.toString());
    }

    private static String gigabytes(double rate) {
        return Figures.ratio(rate / 1e9) + " GB/s";
    }

    private static String label(int size) {
        return size % 1000 == 0 ? size / 1000 + " KB" : size == 1 << 20 ? "1 MiB" : (size >> 10) + " KiB";
    }
}
