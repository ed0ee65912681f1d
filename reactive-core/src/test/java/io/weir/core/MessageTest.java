package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class MessageTest {

    private final ByteBuf payload = Unpooled.copiedBuffer("payload", UTF_8);

    @Test
    void takesOverTheReferenceOfItsMaker() {
        Message message = Message.of(payload);

        assertThat(payload.refCnt()).isEqualTo(1);
        assertThat(message.release()).isTrue();
        assertThat(payload.refCnt()).isZero();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(message::release);
    }

    @Test
    void countsAsItsPayloadDoes() {
        Message message = Message.of(payload);

        assertThat(message.retain()).isSameAs(message);
        assertThat(message.retain(2).refCnt()).isEqualTo(4);
        assertThat(message.touch().touch("hint")).isSameAs(message);
        assertThat(message.release(3)).isFalse();
        assertThat(payload.refCnt()).isEqualTo(1);
        assertThat(message.release()).isTrue();
    }

    @Test
    void otherControlDataMovesTheReference() {
        Message first = Message.of(payload);
        Message second = first.with("tag", "1").with("tag", "2");
        Message third = second.with(ControlData.of("other", "3"));

        assertThat(first.control().isEmpty()).isTrue();
        assertThat(second.control().get("tag")).isEqualTo("2");
        assertThat(third.control()).isEqualTo(ControlData.of("other", "3"));
        assertThat(payload.refCnt()).as("one reference, however many messages").isEqualTo(1);
        assertThat(third.release()).isTrue();
        assertThat(third.control().get("other"))
                .as("readable after the release")
                .isEqualTo("3");
    }

    @Test
    void readingNeitherConsumesNorReleases() {
        payload.skipBytes(3);
        Message message = Message.of(ControlData.empty(), payload);

        assertThat(message.size()).isEqualTo(4);
        assertThat(message.text()).isEqualTo("load").isEqualTo(message.text());
        assertThat(message.bytes()).isEqualTo("load".getBytes(UTF_8));
        assertThat(message.payload()).isSameAs(payload);
        assertThat(payload.readerIndex()).isEqualTo(3);
        assertThat(message.release()).isTrue();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(message::text);
    }

    @Test
    void itsBytesAreACopyButItsMakersArrayIsNot() {
        byte[] array = {1, 2, 3};
        Message message = Message.of(array);
        message.bytes()[0] = 9;
        assertThat(message.bytes()).containsExactly(1, 2, 3);
        array[0] = 8;
        assertThat(message.bytes()).containsExactly(8, 2, 3);
        assertThat(message.release()).isTrue();
    }

    @Test
    void whatIsDiscardedInAPipelineCanBeReleasedByType() {
        Flux<Message> none = Flux.just(Message.of(payload))
                .filter(message -> false)
                .doOnDiscard(Message.class, ReferenceCountUtil::release);

        assertThat(none.collectList().block()).isEmpty();
        assertThat(payload.refCnt()).isZero();
    }

    @Test
    void neverPrintsItsPayload() {
        Message message = Message.of(payload).with("tag", "7");

        assertThat(message).hasToString("Message[7 B, {tag=7}]");
        assertThat(message.release()).isTrue();
        assertThat(message).hasToString("Message[released, {tag=7}]");
        assertThat(Message.of("äöü")).hasToString("Message[6 B]");
    }
}
