package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.SessionLost;
import io.weir.path.Flags;
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

    private static final int WINDOW = 64 << 10;

    private static final String PORT = "port";

    private final SessionPair pair = new SessionPair(
            NodeSpec.builder()
                    .windowItems(ITEMS)
                    .initialItems(ITEMS)
                    .windowBytes(WINDOW)
                    .build(),
            4 * ITEMS);

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
        ask(Message.of(text));
    }

    private void ask(Message request) {
        var unused = pair.client.peer().ask(PORT, request).subscribe(this::answered, failures::add);
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

    /** Else what a peer has sent, and has ended in good order, would be kept until the node ends. */
    @Test
    void whatWaitsBehindTheEndOfItsHalfIsReleasedWithTheSession() {
        for (int i = 0; i < 3; i++) {
            ask(Message.of(Unpooled.wrappedBuffer(new byte[WINDOW / 2 + 1])));
        }
        assertThat(running)
                .as("two are more than a window, so the third one waits")
                .hasSize(2);
        Channel there = pair.server.channels().copy().get(0);
        assertThat(pair.links[0].offer(new Frame().set(FrameKind.END, 0, there.number(), 0)))
                .isTrue();
        pair.loop.settle();
        assertThat(there.inbound().ended()).isTrue();
        assertThat(there.inbound().queued()).isEqualTo(1);
        pair.server.lost(new SessionLost("the peer has gone"));
        assertThat(there.inbound().queued()).isZero();
        assertThat(pair.server.undelivered()).isFalse();
        assertThat(running).allMatch(answer -> answer.currentSubscriberCount() == 0);
    }

    private void fromClient(Frame frame) {
        assertThat(pair.links[0].offer(frame)).isTrue();
        pair.loop.settle();
    }

    /** It has been lent memory for a long request, has sent that, and takes no answers, so that it can't be begun. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoTakesNoAnswersKeepsNoLentMemory(boolean ends) {
        for (int i = 0; i < 3; i++) {
            ask("long");
        }
        Channel there = pair.server.channels().copy().get(0);
        pair.links[0].takeNothing(true);
        for (Sinks.One<Message> each : running) {
            each.emitValue(
                    Message.of(Unpooled.wrappedBuffer(new byte[WINDOW * 3 / 4])), Sinks.EmitFailureHandler.FAIL_FAST);
        }
        pair.loop.settle();
        assertThat(there.inbound().isPaused()).isTrue();
        fromClient(new Frame().set(FrameKind.WANT, 0, there.number(), 0).words(2 * WINDOW, 0));
        assertThat(pair.memory.lent()).isEqualTo(WINDOW);
        int piece = MemoryLink.MAX_FRAME / 2;
        for (int sent = 0; sent < 2 * WINDOW; sent += piece) {
            ByteBuf body = Unpooled.wrappedBuffer(new byte[piece]);
            fromClient(
                    sent == 0
                            ? new Frame()
                                    .set(FrameKind.FIRST, Flags.REQUEST, there.number(), 99, body)
                                    .words(2 * WINDOW, 0)
                            : new Frame().set(FrameKind.NEXT, 0, there.number(), 0, body));
        }
        assertThat(there.inbound().queued()).isEqualTo(1);
        if (ends) {
            fromClient(new Frame().set(FrameKind.END, 0, there.number(), 0));
        }
        for (int i = 0; i < Loan.LOOKS; i++) {
            assertThat(there.outbound().failure()).isNull();
            fromClient(new Frame().set(FrameKind.PONG, 0, 0, 0));
            pair.loop.advance(Loan.LOOK);
        }
        assertThat(there.outbound().failure())
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("waits until answers are taken");
        assertThat(pair.memory.lent()).isZero();
        pair.links[0].takeNothing(false);
    }
}
