package io.weir.integration;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.ControlData;
import io.weir.core.Message;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import reactor.core.publisher.Flux;

/**
 * A sequence of messages that both ends can make: so what arrives is checked, to the last bit and in its order, without
 * anything being remembered.
 *
 * @param seed distinguishes the sequences
 * @param sizes how long its messages are
 */
public record Parcels(long seed, Sizes sizes) {

    private static final int STEP = 64 << 10;

    /** Some messages have control data, chosen by chance. */
    private static final int CONTROLLED = 3;

    int size(long i) {
        return sizes.of(mix(seed * 31 + i));
    }

    /** Message {@code i} in counted memory, in the heap and outside of it by turns. */
    public Message message(long i) {
        int size = size(i);
        return message(i, (i & 1) == 0 ? Payloads.direct(size) : Payloads.heap(size));
    }

    /** Message {@code i} in memory of this allocator. */
    public Message message(long i, ByteBufAllocator allocator) {
        int size = size(i);
        return message(i, allocator.buffer(size, size));
    }

    private Message message(long i, ByteBuf empty) {
        int size = size(i);
        // One access to the buffer for all bytes: Netty's leak detector records each.
        fill(i, empty.internalNioBuffer(empty.writerIndex(), size), null);
        return Message.of(control(i), empty.writerIndex(empty.writerIndex() + size));
    }

    /** A source of the first {@code count}. */
    public Flux<Message> flux(long count) {
        return count == 0
                ? Flux.empty()
                : Flux.generate(() -> 0L, (i, sink) -> {
                    sink.next(message(i));
                    if (i + 1 == count) {
                        sink.complete();
                    }
                    return i + 1;
                });
    }

    /** Checks and releases what arrives, from the first message on. */
    public Consumer<Message> checker() {
        return new Consumer<>() {
            private long next;

            @Override
            public void accept(Message message) {
                check(next++, message);
            }
        };
    }

    /** Checks that this is message {@code i}, and releases it. */
    public void check(long i, Message message) {
        try {
            if (message.size() != size(i)) {
                throw new AssertionError(
                        "message " + i + " of " + this + " has " + message.size() + " bytes, not " + size(i));
            }
            if (!message.control().equals(control(i))) {
                throw new AssertionError(
                        "message " + i + " of " + this + " has " + message.control() + ", not " + control(i));
            }
            if (digest(message.payload()) != digest(i)) {
                throw new AssertionError("message " + i + " of " + this + " (" + size(i) + " bytes) was damaged");
            }
        } finally {
            message.release();
        }
    }

    /** CRC32C of the readable bytes. */
    public static long digest(ByteBuf payload) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : payload.nioBuffers()) {
            crc.update(part);
        }
        return crc.getValue();
    }

    /** CRC32C that message {@code i} must have. */
    public long digest(long i) {
        CRC32C crc = new CRC32C();
        fill(i, ByteBuffer.allocate(Math.min(size(i), STEP)), crc);
        return crc.getValue();
    }

    private ControlData control(long i) {
        long random = mix(~seed + i);
        if (random % CONTROLLED != 0) {
            return ControlData.empty();
        }
        ControlData data = ControlData.of("n", Long.toString(i));
        return (random & 0xf0) == 0 ? data.with("long", "x".repeat((int) (random >>> 54))) : data;
    }

    /** Writes the content of message {@code i} in steps of the target's size; after each step, the digest sees it. */
    private void fill(long i, ByteBuffer target, @org.jspecify.annotations.Nullable CRC32C crc) {
        ByteBuffer out = target.slice().order(ByteOrder.LITTLE_ENDIAN);
        long base = mix(seed ^ (i << 32));
        int size = size(i);
        for (int at = 0; at < size; ) {
            if (out.remaining() >= Long.BYTES && size - at >= Long.BYTES) {
                out.putLong(mix(base + at));
                at += Long.BYTES;
            } else {
                out.put((byte) mix(base + at));
                at++;
            }
            if (crc != null && (out.remaining() == 0 || at == size)) {
                crc.update(out.flip());
                out.clear();
            }
        }
    }

    /** A good mixture of these bits (the finalizer of MurmurHash3). */
    static long mix(long bits) {
        long z = bits + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccdL;
        z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return (z ^ (z >>> 33)) & Long.MAX_VALUE;
    }
}
