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
import java.util.concurrent.TimeUnit;

/** One attack, and what must hold meanwhile and afterwards. */
interface Attack {

    /** The longest gap between answers that a benign peer has to put up with, beside what the machine adds. */
    long GAP_MILLIS = 250;

    /** Until the victim has got over it. */
    long RECOVERY_SECONDS = 10;

    /** Classes that were loaded, and what the JVM keeps for itself. */
    long HEAP = 12 << 20;

    /** What comes and goes with the talk of the benign peers. */
    long ACCOUNT = 64 << 10;

    Map<Size, Target> TARGETS = new EnumMap<>(Size.class);

    void run(Attacker attacker) throws Exception;

    /**
     * Attacks a victim of this size. Both benign peers talk meanwhile and miss nothing; the node lives, and soon holds no more than
     * before.
     */
    static void on(Size size, Attack attack) throws Exception {
        Target target = target(size);
        boolean good = false;
        try {
            target.measure();
            try (Attacker attacker = new Attacker(target)) {
                attack.run(attacker);
            }
            Target.Report report = target.report();
            target.take();
            Figures after = recovered(size, target);
            note(size, report, after);
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
        Figures now = target.memory();
        while (!excess(size, target.start(), now).isEmpty() && System.nanoTime() < deadline) {
            now = target.memory();
        }
        return now;
    }

    private static List<String> excess(Size size, Figures start, Figures now) {
        return Map.of(
                        "used",
                        ACCOUNT,
                        "direct",
                        size.pooled(),
                        "netty",
                        size.pooled(),
                        "heap",
                        HEAP,
                        "peers",
                        0L,
                        "descriptors",
                        4L)
                .entrySet()
                .stream()
                .filter(slack -> now.get(slack.getKey()) > start.get(slack.getKey()) + slack.getValue())
                .map(slack -> slack.getKey() + " was " + start.get(slack.getKey()) + ", is " + now.get(slack.getKey()))
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
                        "the longest gap; %d ms without attack, %d ms of waiting for a processor; %s",
                        target.controlMillis(), report.hiccupMillis(), report.sessions())
                .isLessThanOrEqualTo(GAP_MILLIS + target.controlMillis() + report.hiccupMillis());
    }

    private static void note(Size size, Target.Report report, Figures after) throws IOException {
        String test = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().endsWith("Test"))
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .reduce((inner, outer) -> outer)
                        .orElse("?"));
        StringBuilder text = new StringBuilder(size + " " + test + "\n");
        report.sessions()
                .forEach(session -> text.append("  ").append(session.line()).append('\n'));
        text.append("  hiccup=" + report.hiccupMillis() + "\n  " + after.line() + "\n");
        Files.writeString(Path.of("target", "attacks.txt"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
