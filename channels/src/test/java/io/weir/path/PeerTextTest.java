package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ErrorCode;
import io.weir.core.Misconfigured;
import io.weir.core.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a peer writes reaches logs and exceptions without what a terminal would obey. */
class PeerTextTest {

    private static final String BAD = "a\u009b2J\u202eb\u2066c\u2028d\u0085e\u001bf";
    private static final String SHOWN = "a?2J?b?c?d?e?f";

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Test
    void anError() {
        assertThat(Errors.received(bytes(BAD))).isEqualTo(SHOWN);
        PeerId peer = new PeerId(new UUID(1, 2), "far", 1);
        assertThat(Errors.received(peer, ErrorCode.FAILED.code(), bytes(BAD))).hasMessageContaining(SHOWN);
    }

    @Test
    void aReason() {
        assertThat(HandshakeCodec.readReason(bytes(BAD))).isEqualTo(SHOWN);
    }

    @Test
    void aName() {
        PeerId called = new PeerId(new UUID(1, 2), BAD, 1);
        assertThat(HandshakeCodec.readHello(
                                HandshakeCodec.hello(called, new byte[Noise.KEY], false, false, Dialled.NOTHING))
                        .id()
                        .name())
                .isEqualTo(SHOWN);
        assertThatThrownBy(() -> NodeSpec.builder().name(BAD).build())
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.name='" + SHOWN + "' can't be used");
    }
}
