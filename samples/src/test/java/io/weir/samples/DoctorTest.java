package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command as a user gives it. */
@Tag("one-jdk")
class DoctorTest extends WeirCommand {

    @Test
    void tellsWhatHolds() {
        assertThat(weir("doctor", "tcp")).as(() -> out + "\n" + err).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .containsPattern("tcp +ready\n +second +process \\d+, over tcp\n")
                .containsPattern("its memory +94 messages of 0 B to 8 MiB have come back as they were\n")
                .containsPattern("other memory +94 messages of 0 B to 8 MiB have come back as they were\n")
                .containsPattern("in order +100000 messages of 32 B have come back in order\n")
                .containsPattern("asleep +20 messages, each after a pause of 50 ms, were answered within [\\d.]+ us\n")
                .containsPattern("asked +[1-9]\\d{2,4} messages, one after the other: half were answered within ")
                .containsPattern("so +tcp works here\n");
    }

    @Test
    void tellsWhatIsMissing() {
        assertThat(weir("doctor", "gm")).isEqualTo(1);
        assertThat(out.toString())
                .containsPattern("gm +missing: the library of GM can't be used .*weir.transport.gm.library");
    }

    /** Nobody gets from one process to another over that. */
    @Test
    void tellsWhyAPathDoesNotConnect() {
        assertThat(weir("doctor", "local")).isEqualTo(1);
        assertThat(out.toString())
                .containsPattern(
                        "FAILED +There is no local between the two processes: the peer runs in another process.\n");
    }

    @Test
    void anUnknownPathIsRefusedWithTheNearestOne() {
        assertThat(weir("doctor", "tpc")).isEqualTo(2);
        assertThat(err.toString()).contains("'tpc'", "did you mean tcp?", "Usage: weir doctor");
        assertThat(out.toString()).isEmpty();
    }
}
