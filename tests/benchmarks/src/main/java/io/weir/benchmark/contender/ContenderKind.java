package io.weir.benchmark.contender;

import io.weir.config.Repath;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Those that are measured in JVMs of their own, what each can do, and in which configurations. */
public enum ContenderKind {
    AERON,
    RSOCKET,
    REACTOR_NETTY,
    WEIR_SHM,
    WEIR_TCP,
    /** Values with an in-place codec instead of messages. */
    WEIR_SHM_TYPED,
    WEIR_TCP_TYPED,
    /** In a program that also has pipelines of other kinds. */
    WEIR_SHM_MIXED,
    /** Only where there is Ethernet between both, in networks of their own. */
    WEIR_P4SOCK,
    /** Only over emulations of libraries that are gone, which the environment names. */
    WEIR_GM,
    WEIR_ELAN,
    REACTOR_NETTY_TLS,
    WEIR_TCP_TLS,
    /**
     * Whose sessions end with their path ({@code weir.repath=off}), so that one sees what it costs that the others'
     * need not.
     */
    WEIR_SHM_STAYING,
    WEIR_TCP_STAYING,
    /** Between two services of Spring Boot. */
    BOOT_SHM,
    BOOT_TCP,
    /** Whose calls are observed as well, for meters and traces. */
    BOOT_SHM_OBSERVED,
    BOOT_TCP_OBSERVED,
    /** The same, but only for meters, and with one call in ten traced. */
    BOOT_SHM_METERED,
    BOOT_SHM_SAMPLED,
    /** Between two services of Spring Boot, over HTTP. */
    WEB_CLIENT,
    GRPC,
    JAVA_RMI,
    /** No peer, but the part of a call's time that is the codec's. */
    CODEC;

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

    /** Whether it has a mode of its own, as it needs what is not on every host. */
    public boolean isElsewhere() {
        return this == WEIR_P4SOCK || this == WEIR_GM || this == WEIR_ELAN;
    }

    /** Whether it is measured only when it is named, since it details what others sum up. */
    public boolean isDetail() {
        return this == BOOT_SHM_METERED || this == BOOT_SHM_SAMPLED || this == WEIR_SHM_MIXED;
    }

    /** Whether it is measured for Weir's own figures. */
    public boolean isWeir() {
        return name().startsWith("WEIR_") || name().startsWith("BOOT_");
    }

    public Set<Scenario> scenarios() {
        return switch (this) {
            case AERON -> EnumSet.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.CHECKED, Scenario.ECHO, Scenario.IDLE);
            case RSOCKET ->
                EnumSet.of(
                        Scenario.RTT,
                        Scenario.SLEEP,
                        Scenario.ONE_WAY,
                        Scenario.CHECKED,
                        Scenario.ECHO,
                        Scenario.ASK,
                        Scenario.IDLE);
            case REACTOR_NETTY ->
                EnumSet.of(
                        Scenario.RTT, Scenario.SLEEP, Scenario.ONE_WAY, Scenario.CHECKED, Scenario.ECHO, Scenario.IDLE);
            case WEIR_SHM -> EnumSet.complementOf(EnumSet.of(Scenario.CODEC));
            case WEIR_TCP -> EnumSet.complementOf(EnumSet.of(Scenario.CODEC, Scenario.LOANED));
            case WEIR_SHM_TYPED, WEIR_TCP_TYPED ->
                EnumSet.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.ECHO, Scenario.ASK);
            case WEIR_SHM_MIXED -> EnumSet.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.ECHO);
            case WEIR_P4SOCK -> EnumSet.of(Scenario.RTT, Scenario.ONE_WAY, Scenario.IDLE);
            case WEIR_GM, WEIR_ELAN -> EnumSet.of(Scenario.RTT, Scenario.ONE_WAY);
            case GRPC, BOOT_SHM, BOOT_TCP, WEB_CLIENT -> EnumSet.of(Scenario.CALL, Scenario.CALLS);
            case JAVA_RMI, BOOT_SHM_OBSERVED, BOOT_TCP_OBSERVED, BOOT_SHM_METERED, BOOT_SHM_SAMPLED ->
                EnumSet.of(Scenario.CALL);
            case CODEC -> EnumSet.of(Scenario.CODEC);
            case REACTOR_NETTY_TLS, WEIR_TCP_TLS, WEIR_SHM_STAYING, WEIR_TCP_STAYING -> EnumSet.of(Scenario.ONE_WAY);
        };
    }

    /** What its JVMs need beside the usual. */
    public List<String> jvmArguments() {
        // Its own advice for who wants the last bit of speed.
        return this == AERON
                ? List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Dagrona.disable.bounds.checks=true")
                : List.of();
    }

    /** The configurations to choose the best of; at least one. */
    public List<String> variants(Cell cell) {
        return switch (this) {
            case AERON -> AeronSetting.worthTrying(cell);
            case WEIR_SHM,
                    WEIR_TCP,
                    WEIR_SHM_TYPED,
                    WEIR_TCP_TYPED,
                    WEIR_SHM_MIXED,
                    WEIR_P4SOCK,
                    WEIR_GM,
                    WEIR_ELAN,
                    WEIR_TCP_TLS,
                    WEIR_SHM_STAYING,
                    WEIR_TCP_STAYING,
                    BOOT_SHM,
                    BOOT_TCP,
                    BOOT_SHM_OBSERVED,
                    BOOT_TCP_OBSERVED,
                    BOOT_SHM_METERED,
                    BOOT_SHM_SAMPLED -> WeirContender.variants(cell);
            case RSOCKET, REACTOR_NETTY, REACTOR_NETTY_TLS, GRPC, WEB_CLIENT, JAVA_RMI, CODEC ->
                List.of(Child.ONLY_VARIANT);
        };
    }

    Contender contender(Setup setup) {
        return switch (this) {
            case AERON -> new AeronContender(setup);
            case RSOCKET -> new RSocketContender(setup);
            case REACTOR_NETTY -> new ReactorNettyContender(setup, false);
            case WEIR_SHM -> new WeirContender("shm", setup, false, Repath.ALWAYS);
            case WEIR_TCP -> new WeirContender("tcp", setup, false, Repath.ALWAYS);
            case WEIR_SHM_TYPED -> WeirContender.typed("shm", setup);
            case WEIR_TCP_TYPED -> WeirContender.typed("tcp", setup);
            case WEIR_SHM_MIXED -> WeirContender.mixed("shm", setup);
            case WEIR_P4SOCK -> new WeirContender("p4sock", setup, false, Repath.ALWAYS);
            case WEIR_GM -> new WeirContender("gm", setup, false, Repath.ALWAYS);
            case WEIR_ELAN -> new WeirContender("elan", setup, false, Repath.ALWAYS);
            case REACTOR_NETTY_TLS -> new ReactorNettyContender(setup, true);
            case WEIR_TCP_TLS -> new WeirContender("tcp", setup, true, Repath.ALWAYS);
            case WEIR_SHM_STAYING -> new WeirContender("shm", setup, false, Repath.OFF);
            case WEIR_TCP_STAYING -> new WeirContender("tcp", setup, false, Repath.OFF);
            case BOOT_SHM -> new BootContender("shm", setup, Observing.NOTHING);
            case BOOT_TCP -> new BootContender("tcp", setup, Observing.NOTHING);
            case BOOT_SHM_OBSERVED -> new BootContender("shm", setup, Observing.ALL);
            case BOOT_TCP_OBSERVED -> new BootContender("tcp", setup, Observing.ALL);
            case BOOT_SHM_METERED -> new BootContender("shm", setup, Observing.METERS);
            case BOOT_SHM_SAMPLED -> new BootContender("shm", setup, Observing.SAMPLES);
            case WEB_CLIENT -> new WebClientContender(setup);
            case GRPC -> new GrpcContender(setup);
            case JAVA_RMI -> new RmiContender(setup);
            case CODEC -> new CodecContender(setup);
        };
    }
}
