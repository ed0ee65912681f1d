package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlDataTest {

    @Test
    void hasOneWireForm() {
        ControlData data = ControlData.of("tag", "7").with("k", new byte[] {0, -1});

        assertThat(data.encoded()).isEqualTo(hex("03 746167 0100 37  01 6b 0200 00ff"));
        assertThat(ControlData.decode(hex("03 746167 0100 37  01 6b 0200 00ff")))
                .isEqualTo(data);
    }

    @Test
    void nothingIsNothingOnTheWire() {
        assertThat(ControlData.empty().encoded()).isEmpty();
        assertThat(ControlData.decode(new byte[0])).isSameAs(ControlData.empty());
        assertThat(ControlData.empty().isEmpty()).isTrue();
        assertThat(ControlData.empty().get("a")).isNull();
    }

    @Test
    void isImmutable() {
        ControlData one = ControlData.of("a", "1");
        ControlData two = one.with("b", "2");

        assertThat(one.asMap()).containsExactly(entry("a", "1"));
        assertThat(two.asMap()).containsExactly(entry("a", "1"), entry("b", "2"));
        two.bytes("a")[0] = 'x';
        assertThat(two.get("a")).isEqualTo("1");
    }

    @Test
    void aKeyHasOneValue() {
        ControlData data = ControlData.of("a", "1").with("b", "2").with("a", "three");

        assertThat(data.get("a")).isEqualTo("three");
        assertThat(data.has("a", "three")).isTrue();
        assertThat(data.has("a", "1")).isFalse();
        assertThat(data.has("c", "1")).isFalse();
        assertThat(data.encoded())
                .as("the old value is gone from the wire, too")
                .hasSize(5 + 9);
    }

    @Test
    void theLaterOfTwoEqualKeysWins() {
        ControlData data = ControlData.decode(hex("01 61 0100 31  01 62 0000  01 61 0100 32"));

        assertThat(data.get("a")).isEqualTo("2");
        assertThat(data.asMap()).containsOnly(entry("a", "2"), entry("b", ""));
        assertThat(data).isEqualTo(ControlData.of("b", "").with("a", "2"));
        assertThat(data).hasSameHashCodeAs(ControlData.of("b", "").with("a", "2"));
        assertThat(data.with("a", "3").encoded()).as("replaces both").hasSize(4 + 5);
    }

    /** What was found once is remembered where there is much to look through. */
    @Test
    void manyEntriesAreFoundAgain() {
        ControlData many = ControlData.empty();
        for (int i = 0; i < 100; i++) {
            many = many.with("key" + i, "value" + i);
        }
        ControlData longer = many.with("another", "one");
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 100; i++) {
                assertThat(many.has("key" + i, "value" + i)).isTrue();
                assertThat(many.has("key" + i, "value")).isFalse();
                assertThat(many.get("key" + i)).isEqualTo("value" + i);
            }
            assertThat(many.has("another", "one")).isFalse();
            assertThat(many.get("another")).isNull();
            assertThat(longer.has("another", "one")).isTrue();
        }
    }

    @Test
    void bytesThatAreNoTextAreStillToldApart() {
        ControlData first = ControlData.empty().with("k", new byte[] {(byte) 0xff});
        ControlData second = ControlData.empty().with("k", new byte[] {(byte) 0xfe});

        assertThat(first.get("k"))
                .as("as text both are the replacement character")
                .isEqualTo(second.get("k"));
        assertThat(first).isNotEqualTo(second);
        assertThat(first.bytes("k")).containsExactly(0xff);
    }

    @Test
    void keepsToItsBounds() {
        String longest = "k".repeat(255);
        assertThat(ControlData.of(longest, "").get(longest)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> ControlData.of("", "v"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ControlData.of("ä".repeat(128), "v"))
                .withMessageContaining("1 to 255 bytes, not 256");

        byte[] largest = new byte[ControlData.MAX_BYTES - 4];
        Arrays.fill(largest, (byte) 'v');
        ControlData full = ControlData.empty().with("k", largest);
        assertThat(full.encoded()).hasSize(ControlData.MAX_BYTES);
        assertThat(ControlData.decode(full.encoded()).bytes("k")).isEqualTo(largest);
        assertThat(full.with("k", "small").get("k")).isEqualTo("small");
        assertThatExceptionOfType(MessageTooLarge.class)
                .isThrownBy(() -> full.with("l", ""))
                .withMessageContaining("16388 bytes exceeds 16384");
        assertThatExceptionOfType(MessageTooLarge.class)
                .isThrownBy(() -> ControlData.empty().with("k", new byte[1 << 20]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01",
                "01 61",
                "01 61 00",
                "01 61 0100",
                "00",
                "00 0000",
                "ff",
                "01 61 ffff 00",
                "01 61 0000 00",
                "01 61 0000 01",
                "01 61 0100 31 02 61 0000"
            })
    void refusesWhatIsMalformed(String wire) {
        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> ControlData.decode(hex(wire)))
                .withMessage("control data of " + hex(wire).length + " bytes is cut off or malformed");
    }

    @Test
    void anythingThatWasWrittenIsReadBack() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            ControlData data = ControlData.empty();
            Map<String, String> model = new HashMap<>();
            for (int i = random.nextInt(12); i > 0; i--) {
                String key = "kä€😀".substring(0, 1 + random.nextInt(3)) + random.nextInt(6);
                String value = "v€".repeat(random.nextInt(200));
                data = data.with(key, value);
                model.put(key, value);
            }
            ControlData read = ControlData.decode(data.encoded().clone());
            assertThat(read.asMap()).as("seed %d", seed).isEqualTo(model);
            assertThat(read).as("seed %d", seed).isEqualTo(data).hasSameHashCodeAs(data);
        }
    }

    /**
     * Random bytes, and good ones with a few of them changed or cut off: either an error that says so, or something
     * usable.
     */
    @Test
    void hostileBytesAreRefused() {
        int refused = 0;
        for (long seed = 1; seed <= 20_000; seed++) {
            try {
                useAll(ControlData.decode(hostile(new Random(seed))));
            } catch (ProtocolMismatch expected) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(refused).as("both happens").isBetween(2000, 18_000);
    }

    private static byte[] hostile(Random random) {
        byte[] bytes;
        if (random.nextBoolean()) {
            bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return bytes;
        }
        bytes = ControlData.of("deadline", "250")
                .with("trace", "00-4bf9")
                .with("e", "")
                .encoded()
                .clone();
        for (int i = random.nextInt(3); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return Arrays.copyOf(bytes, bytes.length - random.nextInt(3));
    }

    private static void useAll(ControlData data) {
        data.asMap().forEach((key, value) -> assertThat(data.toString()).contains(key, value));
        assertThat(data.get("trace")).isIn(data.asMap().get("trace"), null);
        assertThat(data).isEqualTo(ControlData.decode(data.encoded().clone()));
        ControlData more = data.with("trace", "new".getBytes(UTF_8));
        assertThat(more.get("trace")).isEqualTo("new");
        assertThat(ControlData.decode(more.encoded())).isEqualTo(more);
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }
}
