package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/**
 * The values that the authors of SipHash give for SipHash-2-4 with the key 00 01 02 .. 0f and the input 00 01 02 .. of
 * each length.
 */
class SipHashTest {

    private static final ByteBuffer COUNTED = counted();

    private static ByteBuffer counted() {
        ByteBuffer bytes = ByteBuffer.allocate(64);
        for (int i = 0; i < 64; i++) {
            bytes.put(i, (byte) i);
        }
        return bytes;
    }

    private static long hash(int length) {
        // The first eight bytes are the number.
        return new SipHash(COUNTED.slice(0, 16)).hash(0x0706050403020100L, COUNTED.duplicate(), 8, length - 8);
    }

    @Test
    void isThatOfItsAuthors() {
        assertThat(hash(8)).isEqualTo(0x93f5f5799a932462L);
        assertThat(hash(9)).isEqualTo(0x9e0082df0ba9e4b0L);
        assertThat(hash(15)).isEqualTo(0xa129ca6149be45e5L);
        assertThat(hash(16)).isEqualTo(0x3f2acc7f57c29bdbL);
    }

    @Test
    void isTheSameOfWordsAndBytesInAnyOrder() {
        SipHash hash = new SipHash(COUNTED.slice(0, 16));
        ByteBuffer little = COUNTED.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        long words = hash.hash(little.getLong(0), little.getLong(8), little.getLong(16));
        assertThat(words).isEqualTo(hash(24)).isEqualTo(hash.hash(little.getLong(0), little, 8, 16));
    }
}
