package io.weir.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.ControlData;
import io.weir.core.Message;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one sender, each of which follows from its number alone: so who receives one knows what it must be.
 * Every message has other bytes, and some senders number theirs in the control data as well.
 */
final class Content {

    private static final int SPREAD = 1 << 20;
    private static final int LONGEST = 5 * (32 << 10);
    private static final byte[] NOISE = noise();
    private static final ByteBuf ALL = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(NOISE));

    private final Ledger ledger;
    private final long seed;
    private final int kind;
    private final boolean numbered;

    Content(Ledger ledger, SplittableRandom chance) {
        this.ledger = ledger;
        this.seed = chance.nextLong();
        this.kind = chance.nextInt(6);
        this.numbered = chance.nextInt(3) == 0;
    }

    private static byte[] noise() {
        byte[] noise = new byte[SPREAD + LONGEST];
        new SplittableRandom(42).nextBytes(noise);
        return noise;
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ mixed >>> 31;
    }

    private long dice(int number) {
        return mix(seed + number * 0x9e37_79b9_7f4a_7c15L);
    }

    int size(int number) {
        int dice = (int) (dice(number) >>> 33);
        return switch (kind) {
            case 0 -> dice % 9;
            case 1, 2 -> dice % 300;
            case 3 -> dice % 4_000;
            case 4 -> dice / 8 % (dice % 8 == 0 ? 40_000 : 500);
            default -> dice / 8 % (dice % 8 == 0 ? LONGEST : 2_000);
        };
    }

    private int from(int number) {
        return (int) dice(number) & SPREAD - 1;
    }

    private String label(int number) {
        return Long.toHexString(seed) + '/' + number;
    }

    Message message(int number, ByteBufAllocator allocator) {
        int size = size(number);
        ByteBuf payload = ledger.buffer(allocator, size, "the payload of a message");
        payload.writeBytes(NOISE, from(number), size);
        return numbered ? Message.of(ControlData.of("number", label(number)), payload) : Message.of(payload);
    }

    /** What is wrong with this message as the one of that number; null if nothing is. Leaves it as it is. */
    @Nullable
    String wrong(int number, Message message) {
        if (message.refCnt() <= 0) {
            return "was released before it came";
        }
        ByteBuf payload = message.payload();
        int size = size(number);
        if (payload.readableBytes() != size) {
            return "has " + payload.readableBytes() + " bytes instead of " + size;
        }
        if (!ByteBufUtil.equals(payload, payload.readerIndex(), ALL, from(number), size)) {
            return "has other bytes";
        }
        String label = message.control().get("number");
        return !numbered || label(number).equals(label) ? null : "is " + label + " by its control data";
    }
}
