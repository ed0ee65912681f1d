package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ControlData;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What becomes of messages that can't go at once. */
class OutboundTest {

    private static final int SMALL_FRAME = 4 << 10;
    /** As little as it may be. */
    private static final int WINDOW = 64 << 10;

    private final SessionPair pair =
            new SessionPair(NodeSpec.builder().windowBytes(WINDOW).build(), 16, SMALL_FRAME);
    private final List<String> received = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @AfterEach
    void end() {
        pair.end();
    }

    private void send(Message... messages) {
        pair.ports.serve(
                "sink",
                new ServeHandler(
                        pair.ports,
                        channel -> channel.receive()
                                .doOnNext(message -> {
                                    received.add(message.text());
                                    message.release();
                                })
                                .then()));
        pair.open("sink").send(Flux.just(messages)).subscribe(null, failure::set);
        pair.loop.settle();
    }

    private static Message of(int control, ByteBuf content) {
        return Message.of(ControlData.empty().with("long", "x".repeat(control)), content);
    }

    @Test
    void whatIsLongerThanTheCreditWaitsForMoreAndGoesInPieces() {
        String text = "long ".repeat(WINDOW);
        send(Message.of("short"), Message.of(text), Message.of("last"));
        assertThat(failure.get()).isNull();
        assertThat(received).containsExactly("short", text, "last");
    }

    /** There is no way to send it over this link: its channel fails when its turn comes, and it is released once. */
    @Test
    void controlDataThatFillsAFrameFailsTheChannelAlsoBehindOthers() {
        ByteBuf content = Unpooled.buffer().writeZero(2 * WINDOW);
        ByteBuf behind = Unpooled.buffer().writeLong(1);
        send(Message.of("short"), of(2 * SMALL_FRAME, content), Message.of(behind));
        assertThat(failure.get()).isInstanceOf(MessageTooLarge.class).hasMessageContaining("shorten it");
        assertThat(received).containsExactly("short");
        assertThat(content.refCnt()).isZero();
        assertThat(behind.refCnt()).isZero();
        nothingIsCounted();
    }

    @Test
    void controlDataThatFillsAFrameFailsTheChannelAtOnce() {
        ByteBuf content = Unpooled.buffer().writeLong(1);
        send(of(SMALL_FRAME - 500, Unpooled.buffer().writeLong(1)), of(SMALL_FRAME, content));
        assertThat(failure.get()).isInstanceOf(MessageTooLarge.class);
        assertThat(received).hasSize(1);
        assertThat(content.refCnt()).isZero();
        nothingIsCounted();
    }

    /** Whoever awaits no answer must not believe that it has gone. */
    @Test
    void aMessageWithoutAnAnswerFailsByControlDataThatFillsAFrame() {
        List<String> ends = new ArrayList<>();
        pair.ports.serve("sink", new AnswerHandler(pair.ports, (peer, message) -> {
            received.add(message.text());
            message.release();
            return Mono.empty();
        }));
        for (ByteBuf content :
                List.of(Unpooled.buffer().writeLong(1), Unpooled.buffer().writeZero(2 * WINDOW))) {
            pair.client
                    .peer()
                    .tell("sink", Message.of("fine"))
                    .subscribe(null, error -> ends.add(error.toString()), () -> ends.add("complete"));
            pair.client
                    .peer()
                    .tell("sink", of(2 * SMALL_FRAME, content))
                    .subscribe(null, error -> ends.add(error.getClass().getSimpleName()), () -> ends.add("complete"));
            pair.loop.settle();
            assertThat(content.refCnt()).isZero();
        }
        assertThat(ends).containsExactly("complete", "MessageTooLarge", "complete", "MessageTooLarge");
        assertThat(received).containsExactly("fine", "fine");
        nothingIsCounted();
    }

    /** What is left of the credit is what was sent. */
    private void nothingIsCounted() {
        Counters counters = pair.client.counters();
        assertThat(counters.queuedMessages).isZero();
        assertThat(counters.queuedBytes).isZero();
        assertThat(counters.creditItems).isEqualTo(counters.messagesSent);
        assertThat(counters.creditBytes).isEqualTo(counters.bytesSent);
    }
}
