package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.ControlData;
import io.weir.core.Message;
import org.junit.jupiter.api.Test;

class MessageCostTest {

    @Test
    void contentAndControlDataCount() {
        assertThat(MessageCost.of(Message.of(new byte[0]))).isZero();
        assertThat(MessageCost.of(Message.of(new byte[1000]))).isEqualTo(1000);
        // The lengths of key and value take three bytes.
        ControlData control = ControlData.of("key", "value");
        assertThat(MessageCost.of(Message.of(control, Unpooled.EMPTY_BUFFER))).isEqualTo(11);
        assertThat(MessageCost.of(Message.of(control, Unpooled.wrappedBuffer(new byte[1000]))))
                .isEqualTo(1011);
    }

    @Test
    void whatWasReadOfTheContentDoesNotCount() {
        ByteBuf content = Unpooled.buffer(4096).writeLong(1).writeInt(2).skipBytes(Long.BYTES);
        assertThat(MessageCost.of(Message.of(content))).isEqualTo(Integer.BYTES);
    }

    @Test
    void lookingIsAllThatIsDone() {
        Message message = Message.of(Unpooled.buffer().writeLong(1));
        assertThat(MessageCost.of(message)).isEqualTo(MessageCost.of(message));
        assertThat(message.refCnt()).isOne();
        message.release();
    }
}
