package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignTextTest {

    @Test
    void whatIsWrittenStays() {
        for (String text : List.of("", "plain", "Äpfel & Öl, 12 €", "寿司", "אבג", "😀", "e\u0301", "a\u00a0b")) {
            assertThat(ForeignText.harmless(text)).isSameAs(text);
        }
    }

    /** C0, DEL and C1, what turns or marks the direction, what ends a line, what has no width, half a pair. */
    @Test
    void whatDisturbsIsReplaced() {
        List<Integer> disturbing = new ArrayList<>(List.of(
                0x7f, 0xad, 0x61c, 0x180e, 0x2028, 0x2029, 0x200b, 0x200e, 0x200f, 0xfeff, 0xd83d, 0xdc00, 0xe0041));
        IntStream.range(0, 0x20).forEach(disturbing::add);
        IntStream.rangeClosed(0x80, 0x9f).forEach(disturbing::add);
        IntStream.rangeClosed(0x202a, 0x202e).forEach(disturbing::add);
        IntStream.rangeClosed(0x2066, 0x2069).forEach(disturbing::add);
        for (int each : disturbing) {
            assertThat(ForeignText.harmless("a" + Character.toString(each) + "b"))
                    .as("%x", each)
                    .isEqualTo("a?b");
        }
    }

    @Test
    void whatIsLongIsCutBetweenCharacters() {
        assertThat(ForeignText.brief("x".repeat(399) + "\ud83d\ude00")).isEqualTo("x".repeat(399) + "\ud83d\ude00");
        assertThat(ForeignText.brief("x".repeat(399) + "\ud83d\ude00" + "more"))
                .isEqualTo("x".repeat(399) + "\ud83d\ude00...");
        assertThat(ForeignText.brief("a\u001bb")).isEqualTo("a?b");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x1b, 0x85, 0x9b, 0x202e, 0x2067, 0x2028})
    void noErrorHasIt(int point) {
        String bad = "a" + Character.toString(point) + "b";
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse(bad + ":1"))
                .withMessageContaining("a?b");
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> PeerAddress.parse(bad))
                .withMessageContaining("a?b");
        ByteBuf payload = Unpooled.copiedBuffer("{\"" + bad + "\":\"" + bad + "\"}", StandardCharsets.UTF_8);
        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.json(new TypeReferenceOfNumbers()).decode(payload))
                .satisfies(e -> assertThat(ForeignText.harmless(String.valueOf(e.getMessage())))
                        .isEqualTo(e.getMessage()));
        payload.release();
    }

    private static final class TypeReferenceOfNumbers
            extends tools.jackson.core.type.TypeReference<java.util.Map<String, Integer>> {}
}
