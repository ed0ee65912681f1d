package io.weir.benchmark.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class PayloadTest {

    private final Payload payload = new Payload(1024);
    private final ByteBuf message = payload.writeTo(Unpooled.buffer(1024), 4711);

    @Test
    void carriesItsNumberAndIsWhole() {
        assertThat(Payload.sequence(message)).isEqualTo(4711);
        payload.check(message);
    }

    @Test
    void oneChangedBitIsFound() {
        message.setByte(1000, message.getByte(1000) ^ 1);

        assertThatThrownBy(() -> payload.check(message)).hasMessageContaining("changed");
    }

    @Test
    void aMissingByteIsFound() {
        message.writerIndex(1023);

        assertThatThrownBy(() -> payload.check(message)).hasMessageContaining("1024 bytes came with 1023");
    }
}
