package io.weir.benchmark.contender;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** Those that are measured in a JVM of their own, what each can do, and in which configurations. */
public enum ContenderKind {
    AERON(
            AeronContender::new,
            EnumSet.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.CHECKED, Scenario.ECHO, Scenario.IDLE),
            List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED")) {
        @Override
        public List<String> variants(Cell cell) {
            return AeronSetting.worthTrying(cell);
        }
    },
    RSOCKET(RSocketContender::new, EnumSet.allOf(Scenario.class), List.of()),
    REACTOR_NETTY(ReactorNettyContender::new, EnumSet.complementOf(EnumSet.of(Scenario.ASK)), List.of());

    private final Function<Setup, Contender> factory;
    private final Set<Scenario> scenarios;
    private final List<String> jvmArguments;

    ContenderKind(Function<Setup, Contender> factory, Set<Scenario> scenarios, List<String> jvmArguments) {
        this.factory = factory;
        this.scenarios = scenarios;
        this.jvmArguments = jvmArguments;
    }

    /** As on the command line and in the results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static ContenderKind of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no contender \"" + label + "\"."));
    }

    public Set<Scenario> scenarios() {
        return scenarios;
    }

    /** What its JVM needs. */
    public List<String> jvmArguments() {
        return jvmArguments;
    }

    /** The configurations to choose the best of; at least one. */
    public List<String> variants(Cell cell) {
        return List.of(Child.ONLY_VARIANT);
    }

    Contender contender(Setup setup) {
        return factory.apply(setup);
    }
}
