package io.weir.benchmark.contender;

import java.util.List;

/** What is observed of the calls between two services of Spring Boot, on both sides. */
enum Observing {
    NOTHING("--weir.observation.enabled=false"),
    /** Each call is counted and timed. No property of Boot switches tracing off, so what hands calls to it is left out. */
    METERS(
            "--weir.observation.enabled=true",
            "--spring.autoconfigure.exclude="
                    + "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"),
    /** One call in ten is traced as well. Spans are recorded and exported to nobody. */
    SAMPLES("--weir.observation.enabled=true", "--management.tracing.sampling.probability=0.1"),
    /** Every call is traced as well. */
    ALL("--weir.observation.enabled=true", "--management.tracing.sampling.probability=1");

    @SuppressWarnings("ImmutableEnumChecker") // Nobody can change it.
    private final List<String> settings;

    Observing(String... settings) {
        this.settings = List.of(settings);
    }

    /** What an application is started with. */
    List<String> settings() {
        return settings;
    }
}
