package io.weir.benchmark.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeterTest {

    private final List<String> said = new ArrayList<>();

    @Test
    void warmsUpThenMeasuresThenIsOver() throws Exception {
        Meter meter = meter(Scenario.RTT, 32);
        meter.begin();
        long sequence = 0;
        while (meter.roundTrip(sequence)) {
            sequence++;
        }
        meter.await();

        Measurement measured = meter.result(0);
        assertThat(said).containsExactly("measuring");
        assertThat(measured.messages()).isBetween(1L, sequence);
        assertThat(measured.seconds()).isGreaterThanOrEqualTo(0.002);
        assertThat(measured.p50Nanos()).isBetween(1L, measured.p99Nanos());
        assertThat(measured.p99Nanos()).isLessThanOrEqualTo(measured.p999Nanos());
        assertThat(meter.roundTrip(sequence + 1)).isFalse();
    }

    @Test
    void countsWhatArrivesWithoutAskingForTheTimeOfEach() throws Exception {
        Meter meter = meter(Scenario.ONE_WAY, 32);
        meter.begin();
        for (long sequence = 0; !meter.isOver(); sequence++) {
            meter.arrived(sequence);
        }
        meter.await();

        assertThat(meter.result(0).messages()).isPositive();
        assertThat(meter.result(0).p50Nanos()).isZero();
    }

    @Test
    void restsWithAnIdlePair() throws Exception {
        Meter meter = meter(Scenario.IDLE, 32);
        meter.begin();
        assertThat(meter.roundTrip(0)).isFalse();
        meter.await();

        assertThat(said).containsExactly("measuring");
        assertThat(meter.result(0).seconds()).isGreaterThanOrEqualTo(0.002);
    }

    @Test
    void aMissingMessageIsAnError() {
        Meter meter = meter(Scenario.ONE_WAY, 32);
        meter.begin();
        meter.arrived(0);

        assertThatThrownBy(() -> meter.arrived(2)).hasMessage("Expected message 1, got message 2.");
    }

    @Test
    void aFailureEndsTheWaitAndIsTheResult() throws Exception {
        Meter meter = meter(Scenario.RTT, 32);
        meter.begin();
        meter.fail(new IllegalStateException("connection reset"));
        meter.await();

        assertThatThrownBy(() -> meter.result(0)).hasMessage("connection reset");
    }

    private Meter meter(Scenario scenario, int size) {
        return new Meter(
                new Cell(scenario, size), Duration.ofMillis(1), Duration.ofMillis(2), () -> said.add("measuring"));
    }
}
