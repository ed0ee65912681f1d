package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** One attack, and what must hold meanwhile and afterwards. */
interface Attack {

    /**
     * The longest gap between answers that a benign peer has to put up with, beside what the machine adds. A build
     * shares its processors with others: the bar itself is for a machine that does nothing else, by
     * {@code -Dweir.hostile.strict=true}.
     */
    long GAP_MILLIS = Boolean.getBoolean("weir.hostile.strict") ? 250 : 5_000;

    /** Until the victim has got over it. */
    long RECOVERY_SECONDS = 10;

    long PAUSE_MILLIS = 100;

    /** Classes that were loaded, and what the JVM keeps for itself. */
    long HEAP = 12 << 20;

    /**
     * By how much the windows of the benign peers may have become larger, for which there was more memory at some time.
     */
    long WINDOWS = 2 << 20;

    Map<Size, Target> TARGETS = new EnumMap<>(Size.class);

    void run(Attacker attacker) throws Exception;

    /**
     * Attacks a victim of this size. Both benign peers talk meanwhile and miss nothing; the node lives, and soon holds
     * no more than before.
     */
    static void on(Size size, Attack attack) throws Exception {
        Target target = target(size);
        boolean good = false;
        try {
            target.measure();
            long done;
            try (Attacker attacker = new Attacker(target)) {
                attack.run(attacker);
                // The benign peers talk for all of the time, also beside what was over at once.
                attacker.waitForTheEnd();
                done = attacker.done();
                assertThat(done)
                        .as("what was done to the victim; %s", attacker.cuts())
                        .isPositive();
            }
            Target.Report report = target.report();
            Figures after = recovered(size, target);
            note(size, done, report, after);
            check(size, target, report, after);
            good = true;
        } finally {
            if (!good) {
                TARGETS.remove(size).close();
            }
        }
    }

    /** The victim of this size, which is started if it is not there. */
    static Target target(Size size) throws Exception {
        Target target = TARGETS.get(size);
        if (target == null) {
            target = new Target(size);
            Target started = target;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(started)));
            TARGETS.put(size, target);
        }
        return target;
    }

    private static void end(Target target) {
        try {
            target.close();
        } catch (Exception failed) {
            throw new IllegalStateException("a victim's processes have not ended", failed);
        }
    }

    /** What the victim holds as soon as it is what it was, or at last. */
    private static Figures recovered(Size size, Target target) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
        target.take();
        Figures now = target.memory();
        while (!excess(size, target.start(), now).isEmpty() && System.nanoTime() < deadline) {
            // Each look is a garbage collection, during which nothing gets better.
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            target.take();
            now = target.memory();
        }
        return now;
    }

    private static List<String> excess(Size size, Figures start, Figures now) {
        Map<String, Long> slack = new TreeMap<>(Map.of("direct", size.pooled(), "netty", size.pooled(), "heap", HEAP));
        slack.putAll(Map.of("peers", 0L, "descriptors", 4L, "use-WINDOWS", WINDOWS));
        now.numbers().keySet().stream()
                .filter(name -> name.startsWith("use-"))
                .forEach(name -> slack.putIfAbsent(name, 0L));
        return slack.entrySet().stream()
                .filter(each -> now.get(each.getKey()) > start.get(each.getKey()) + each.getValue())
                .map(each -> each.getKey() + " was " + start.get(each.getKey()) + ", is " + now.get(each.getKey()))
                .toList();
    }

    private static void check(Size size, Target target, Target.Report report, Figures after) {
        for (Figures session : report.sessions()) {
            assertThat(session.failure()).as(session.line()).isEqualTo("none");
            assertThat(session.get("lost")).as(session.line()).isZero();
            assertThat(session.get("wrong")).as(session.line()).isZero();
            assertThat(session.get("failed")).as(session.line()).isZero();
            assertThat(session.get("sent")).as(session.line()).isPositive();
        }
        assertThat(after.failure()).isEqualTo("none");
        assertThat(after.get("loops")).isEqualTo(target.start().get("loops"));
        assertThat(target.isAlive()).isTrue();
        List<String> excess = excess(size, target.start(), after);
        if (!excess.isEmpty()) {
            fail("10 s after the attack the node holds more than before: " + excess + "; " + after.line());
        }
        assertThat(report.gapMillis())
                .as(
                        "the longest gap; without attack %d ms, waiting for a processor %d and %d ms; %s",
                        target.controlMillis(), report.hiccupMillis(), report.waitedMillis(), report.sessions())
                .isLessThanOrEqualTo(
                        GAP_MILLIS + target.controlMillis() + report.hiccupMillis() + report.waitedMillis());
    }

    private static void note(Size size, long done, Target.Report report, Figures after) throws IOException {
        String test = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().endsWith("Test"))
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .reduce((inner, outer) -> outer)
                        .orElse("?"));
        StringBuilder text = new StringBuilder(size + " " + test + ", done " + done + " times\n");
        report.sessions()
                .forEach(session -> text.append("  ").append(session.line()).append('\n'));
        text.append("  hiccup=" + report.hiccupMillis() + " waited=" + report.waitedMillis() + "\n  " + after.line()
                + "\n");
        Files.writeString(Path.of("target", "attacks.txt"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
