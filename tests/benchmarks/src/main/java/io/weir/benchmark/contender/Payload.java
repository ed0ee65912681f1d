package io.weir.benchmark.contender;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The content of messages of one size: a sequence number of 64 bits, little-endian, and then bytes that are the same in
 * every message and that both sides know. For one thread.
 */
final class Payload {

    private final byte[] content;
    private final long checksum;
    private final CRC32C crc = new CRC32C();

    Payload(int size) {
        content = new byte[size];
        for (int i = 0; i < size; i++) {
            content[i] = (byte) (i * 31 + 7);
        }
        crc.update(content, Long.BYTES, size - Long.BYTES);
        checksum = crc.getValue();
    }

    int size() {
        return content.length;
    }

    byte[] content() {
        return content;
    }

    /** Fills a message: the number, and the rest in one bulk put. */
    ByteBuf writeTo(ByteBuf buffer, long sequence) {
        return buffer.writeLongLE(sequence).writeBytes(content, Long.BYTES, content.length - Long.BYTES);
    }

    /** As {@link #writeTo}, but behind the number is what lay there. */
    ByteBuf writeNumberTo(ByteBuf buffer, long sequence) {
        return buffer.writeLongLE(sequence).writerIndex(content.length);
    }

    /** The number of the message at the reader index. */
    static long sequence(ByteBuf buffer) {
        return buffer.getLongLE(buffer.readerIndex());
    }

    /** @throws IllegalStateException unless the message at the reader index is whole */
    void check(ByteBuf buffer) {
        int length = buffer.readableBytes();
        if (length == size()) {
            check(buffer.nioBuffer(buffer.readerIndex() + Long.BYTES, length - Long.BYTES));
        } else {
            throw new IllegalStateException("A message of " + size() + " bytes came with " + length + ".");
        }
    }

    /** @throws IllegalStateException unless these are the bytes behind the number */
    void check(ByteBuffer behindNumber) {
        crc.reset();
        crc.update(behindNumber);
        if (crc.getValue() != checksum) {
            throw new IllegalStateException("A payload of " + size() + " bytes has changed on its way.");
        }
    }
}
