package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** How many requests a port takes, of which some are answered at once, and some when the test says so. */
class AnswererTest {

    /** Enough for a port to ask the peer for several at a time. */
    private static final int ITEMS = 32;

    private static final String PORT = "port";

    private final SessionPair pair = new SessionPair(
            NodeSpec.builder().windowItems(ITEMS).initialItems(ITEMS).build(), 4 * ITEMS);

    private final List<Sinks.One<Message>> running = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    AnswererTest() {
        pair.ports.serve(PORT, new AnswerHandler(pair.ports, (peer, message) -> {
            boolean atOnce = message.text().equals("short");
            message.release();
            if (atOnce) {
                return Mono.just(Message.of("short"));
            }
            Sinks.One<Message> answer = Sinks.one();
            running.add(answer);
            return answer.asMono();
        }));
    }

    private void ask(String text) {
        var unused = pair.client.peer().ask(PORT, Message.of(text)).subscribe(this::answered, failures::add);
        pair.loop.settle();
    }

    private void answered(Message answer) {
        answers.add(answer.text());
        answer.release();
    }

    @AfterEach
    void allIsReleased() {
        pair.end();
        assertThat(pair.memory.stats().used()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, ITEMS - 1, ITEMS, ITEMS + 1, 10 * ITEMS})
    void howeverManyWereAnsweredAtOnceAsManyThatTakeLongAreTaken(int before) {
        for (int i = 0; i < before; i++) {
            ask("short");
        }
        assertThat(answers).hasSize(before);
        for (int i = 0; i < 2 * ITEMS; i++) {
            ask("long");
        }
        assertThat(running).hasSize(ITEMS);
        running.get(0).emitValue(Message.of("long"), Sinks.EmitFailureHandler.FAIL_FAST);
        pair.loop.settle();
        assertThat(running).hasSize(ITEMS + 1);
        assertThat(answers).hasSize(before + 1);
        assertThat(failures).isEmpty();
    }

    @Test
    void besideThoseThatTakeLongEachOneIsTakenAsSoonAsTheOneBeforeIsAnswered() {
        for (int i = 0; i < ITEMS - 1; i++) {
            ask("long");
        }
        for (int i = 1; i <= 10 * ITEMS; i++) {
            ask("short");
            assertThat(answers).hasSize(i);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void thoseThatWaitAreTakenWhenOneIsAnswered() {
        for (int i = 0; i < ITEMS; i++) {
            ask("long");
        }
        for (int i = 0; i < 3 * ITEMS; i++) {
            ask("short");
        }
        assertThat(answers).isEmpty();
        running.get(0).emitValue(Message.of("long"), Sinks.EmitFailureHandler.FAIL_FAST);
        pair.loop.settle();
        assertThat(answers).hasSize(1 + 3 * ITEMS);
        assertThat(failures).isEmpty();
    }
}
