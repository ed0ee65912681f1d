package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import java.time.Duration;
import java.util.SplittableRandom;

/** {@link Faults} as they come true: the draws of one script. Belongs to the loop of the sending link. */
final class Misfortune {

    private final Faults faults;
    private final SplittableRandom random;
    private long taken;

    Misfortune(Faults faults) {
        this.faults = faults;
        this.random = new SplittableRandom(faults.seed());
    }

    /** Sends the frame, or what becomes of it, and takes over its body. */
    void pass(Frame frame, boolean inPlace, Wire wire) {
        taken++;
        boolean drop = hits(faults.dropped());
        boolean corrupt = hits(faults.corrupted());
        boolean truncate = hits(faults.truncated());
        Duration delay = hits(faults.delayed())
                ? Duration.ofNanos(random.nextLong(faults.longestDelay().toNanos() + 1))
                : Duration.ZERO;
        if (drop) {
            frame.body().release();
            return;
        }
        byte[] control = frame.control().clone();
        boolean copy = !inPlace || corrupt;
        ByteBuf body = copy ? copy(frame.body()) : frame.body().slice();
        if (corrupt) {
            corrupt(control, body);
        }
        if (truncate) {
            body = body.slice(0, random.nextInt(body.readableBytes() + 1));
        }
        wire.put(new Parcel(frame, control, body, control.length + (copy ? body.readableBytes() : 0), delay));
    }

    boolean breaksNow() {
        return taken >= faults.breaksAfter();
    }

    private boolean hits(double share) {
        return share > 0 && random.nextDouble() < share;
    }

    /** So that the sender's buffer is free again, and a fault does not reach back into it. */
    private static ByteBuf copy(ByteBuf body) {
        try {
            return Unpooled.wrappedBuffer(ByteBufUtil.getBytes(body));
        } finally {
            body.release();
        }
    }

    private void corrupt(byte[] control, ByteBuf body) {
        int place = random.nextInt(control.length + body.readableBytes() + 1);
        int change = 1 + random.nextInt(255);
        if (place < control.length) {
            control[place] ^= (byte) change;
        } else if (body.isReadable()) {
            int at = Math.min(place - control.length, body.readableBytes() - 1);
            body.setByte(at, body.getByte(at) ^ change);
        }
    }
}
