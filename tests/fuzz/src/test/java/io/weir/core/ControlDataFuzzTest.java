package io.weir.core;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.fuzz.Hostile;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Control data that a peer has sent is refused, or says the same whatever it is asked: as a simple reader of the
 * documented form finds it, and after an entry was replaced or added.
 */
class ControlDataFuzzTest {

    /** The first byte says how long the value is that is added, the second which entry it replaces. */
    private static final int PREFIX = 2;

    static Stream<byte[]> seeds() {
        ControlData two = ControlData.of("tag", "blue").with("trace", new byte[] {0, (byte) 0xff, 7});
        ControlData many = ControlData.empty();
        for (int i = 0; i < 60; i++) {
            many = many.with("key " + i, "value " + i);
        }
        byte[] twice = join(two.encoded(), ControlData.of("tag", "red").encoded());
        byte[] noText = {1, (byte) 0xff, 1, 0, (byte) 0xc0, 1, (byte) 0xfe, 0, 0};
        ControlData full = ControlData.of("k", "v").with("long", new byte[ControlData.MAX_BYTES - 5 - 7]);
        return Stream.of(
                input(4, 0),
                input(0, 0, two.encoded()),
                input(9, 1, twice),
                input(200, 1, noText),
                input(3, 30, many.encoded()),
                input(1, 0, many.with("tag", "").encoded()),
                input(2, 3, full.encoded()),
                input(1, 1, full.encoded(), new byte[] {1}),
                input(1, 1, two.encoded(), new byte[] {3, 'a'}),
                input(1, 1, two.encoded(), new byte[] {0, 0, 0}));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsAskedForIsWhatWasSent(byte[] input) {
        if (input.length < PREFIX) {
            return;
        }
        byte[] encoded = Arrays.copyOfRange(input, PREFIX, input.length);
        Map<String, byte[]> expected = entries(encoded);
        ControlData decoded;
        try {
            decoded = ControlData.decode(encoded);
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            check(expected == null || encoded.length > ControlData.MAX_BYTES, "it is well-formed: " + e);
            return;
        }
        check(expected != null && encoded.length <= ControlData.MAX_BYTES, "it is malformed and was not refused");
        compare(decoded, Objects.requireNonNull(expected));
        replace(decoded, expected, new byte[input[0] & 0xff], input[1] & 0xff);
    }

    /** The last value of each key, whose bytes are characters here; null if it is malformed. */
    private static @Nullable Map<String, byte[]> entries(byte[] encoded) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        for (int at = 0; at < encoded.length; ) {
            int key = encoded[at++] & 0xff;
            if (key == 0 || encoded.length - at < key + 2) {
                return null;
            }
            String name = new String(encoded, at, key, ISO_8859_1);
            at += key;
            int length = (encoded[at] & 0xff) | (encoded[at + 1] & 0xff) << 8;
            at += 2;
            if (encoded.length - at < length) {
                return null;
            }
            entries.put(name, Arrays.copyOfRange(encoded, at, at + length));
            at += length;
        }
        return entries;
    }

    private static void compare(ControlData data, Map<String, byte[]> expected) {
        check(data.isEmpty() == expected.isEmpty(), data);
        expected.forEach((name, value) -> {
            byte[] bytes = name.getBytes(ISO_8859_1);
            String key = new String(bytes, UTF_8);
            // Only those can be asked for that are text.
            if (Arrays.equals(key.getBytes(UTF_8), bytes)) {
                check(Arrays.equals(data.bytes(key), value), key);
                String text = new String(value, UTF_8);
                check(text.equals(data.get(key)), key);
                check(data.has(key, text) == Arrays.equals(text.getBytes(UTF_8), value), key);
                check(data.asMap().containsKey(key), key);
            }
        });
        check(data.asMap().size() <= expected.size(), data);
        check(data.get("no such key, as it is too long to be there by chance") == null, data);
        ControlData again = ControlData.decode(data.encoded().clone());
        check(again.equals(data) && again.hashCode() == data.hashCode(), data);
        check(again.toString().equals(data.toString()), data);
    }

    private static void replace(ControlData data, Map<String, byte[]> expected, byte[] value, int which) {
        String key = "another";
        int at = 0;
        for (String each : expected.keySet()) {
            byte[] bytes = each.getBytes(ISO_8859_1);
            String name = new String(bytes, UTF_8);
            if (at++ == which && Arrays.equals(name.getBytes(UTF_8), bytes)) {
                key = name;
            }
        }
        ControlData more;
        try {
            more = data.with(key, value);
        } catch (MessageTooLarge e) {
            check(data.encoded().length + 3 + key.getBytes(UTF_8).length + value.length > ControlData.MAX_BYTES, e);
            return;
        }
        Map<String, byte[]> wanted = new LinkedHashMap<>(expected);
        wanted.put(new String(key.getBytes(UTF_8), ISO_8859_1), value);
        compare(ControlData.decode(more.encoded()), wanted);
        compare(more, wanted);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] each : parts) {
            all.writeBytes(each);
        }
        return all.toByteArray();
    }

    private static byte[] input(int length, int which, byte[]... encoded) {
        return join(new byte[] {(byte) length, (byte) which}, join(encoded));
    }
}
