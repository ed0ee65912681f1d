package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.ProtocolMismatch;
import org.junit.jupiter.api.Test;

/** What a peer's bytes may become, of which each has a bound. */
class CallLayoutTest {

    @Test
    void aTextHasABound() {
        ByteBuf longest = Unpooled.buffer();
        CallLayout.writeText(longest, "x".repeat(CallLayout.LONGEST_TEXT));
        assertThat(CallLayout.readText(longest)).hasSize(CallLayout.LONGEST_TEXT);
        ByteBuf longer = Unpooled.buffer();
        CallLayout.writeText(longer, "x".repeat(CallLayout.LONGEST_TEXT + 1));
        assertThatThrownBy(() -> CallLayout.readText(longer))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("a text of 262145 bytes, and 262144 is the most");
    }

    @Test
    void anInterfaceHasABound() {
        ByteBuf many = Unpooled.buffer();
        CallLayout.writeText(many, "com.example.Many");
        CallLayout.writeText(many, "cbor");
        many.writeShortLE(0).writeIntLE(200_000);
        for (int i = 0; i < 200_000; i++) {
            CallLayout.writeText(many, "");
            CallLayout.writeText(many, "");
        }
        assertThatThrownBy(() -> Description.read(many))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("and 1048576 is the most: export smaller ones");
    }

    @Test
    void aReasonIsCutSoThatItCanBeRead() {
        assertThat(CallLayout.cut("abc", 3)).isEqualTo("abc");
        assertThat(CallLayout.cut("abcd", 3)).isEqualTo("abc...");
    }
}
