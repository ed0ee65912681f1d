package io.weir.samples.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import reactor.core.publisher.Mono;

class SampleTest {

    /** One whose point is none. */
    @Command(name = "idle", description = "Shows nothing.")
    private static final class Pointless extends Sample {

        private final Mono<Integer> answer;

        Pointless(Mono<Integer> answer) {
            this.answer = answer;
        }

        @Override
        protected void play(Cast cast) {
            cast.shows(cast.await(answer) == 42, "the answer is 42");
        }
    }

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Mono<Integer> answer) {
        return new CommandLine(new Pointless(answer))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute();
    }

    @Test
    void whatHoldsIsTold() {
        assertThat(run(Mono.just(42))).isZero();
        assertThat(out.toString()).isEqualTo("Shows nothing.\n  so            the answer is 42\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void whatDoesNotHoldFails() {
        assertThat(run(Mono.just(41))).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("weir sample idle: It does not hold that the answer is 42.\n");
    }

    @Test
    void nothingIsNoAnswer() {
        assertThat(run(Mono.empty())).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("weir sample idle: A stream has ended without an answer.\n");
    }
}
