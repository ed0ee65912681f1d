package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** What a peer writes reaches logs and exceptions without what a terminal would obey. */
class PeerTextTest {

    @Test
    void aTextOfACall() {
        ByteBuf wire = Unpooled.buffer();
        CallLayout.writeText(wire, "a\u009b2J\u202eb\u2066c\u2028d\u0085e\u001bf");
        assertThat(CallLayout.readText(wire)).isEqualTo("a?2J?b?c?d?e?f");
    }
}
