package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An endless, repeatable sequence of frames. Both sides compute the frame of a number, so the receiver checks order,
 * count and every byte of what it gets.
 */
record FrameStream(long seed, Sizes control, Sizes body, int maxFrame) implements FrameSource {

    /** All but the one that links have among themselves. */
    static final List<FrameKind> KINDS = Arrays.stream(FrameKind.values())
            .filter(kind -> kind != FrameKind.ACK)
            .toList();

    /** Everything that a link of this kind may carry. */
    static FrameStream mixed(String purpose, int maxFrame) {
        int most = Math.min(maxFrame, Noise.LONGEST);
        Sizes control = Sizes.mostly(Sizes.upTo(24), Sizes.ofEveryMagnitude(most / 2), 8);
        return new FrameStream(Seed.of(purpose), control, Sizes.ofEveryMagnitude(most), most);
    }

    /** Frames without control data, all with as long a body. */
    static FrameStream uniform(String purpose, int size) {
        return new FrameStream(Seed.of(purpose), Sizes.exactly(0), Sizes.exactly(size), size);
    }

    @Override
    public void fill(long number, Frame frame, Bodies bodies) {
        Parts parts = new Parts(this, number);
        parts.fill(frame, bodies.any(parts.bodyPlace, parts.bodyLength));
    }

    /** The same frames, with bodies that are counted at the end of the test one by one. */
    FrameSource tracked() {
        return (number, frame, bodies) -> {
            Parts parts = new Parts(this, number);
            parts.fill(frame, bodies.tracked(parts.bodyPlace, parts.bodyLength));
        };
    }

    /** How many frames to send so that about this many bytes travel, within bounds. */
    long count(long bytes, long least, long most) {
        long sample = 0;
        for (int i = 0; i < 200; i++) {
            sample += new Parts(this, i).bodyLength;
        }
        return Math.max(least, Math.min(most, bytes * 200 / (sample + 200)));
    }

    /** Fails unless this is the frame of this number. */
    void check(long number, Frame frame) {
        Parts parts = new Parts(this, number);
        parts.check(number, parts.isHeadOf(frame) && parts.isBodyOf(frame), frame);
    }

    /** Fails unless this is the frame of this number but for its body. */
    void checkWithoutBody(long number, Frame frame) {
        Parts parts = new Parts(this, number);
        parts.check(number, parts.isHeadOf(frame), frame);
    }

    /** Fails unless this is the body of the frame of this number. */
    void checkBody(long number, ByteBuf body) {
        Parts parts = new Parts(this, number);
        if (body.readableBytes() != parts.bodyLength || !Noise.equal(parts.bodyPlace, body)) {
            throw new AssertionError("the body of frame " + number + " was changed afterwards");
        }
    }

    /** Fails unless this is the control data of the frame of this number. */
    void checkControl(long number, byte[] control) {
        Parts parts = new Parts(this, number);
        if (control.length != parts.controlLength || !Noise.equal(parts.controlPlace, control)) {
            throw new AssertionError("the control data of frame " + number + " was changed afterwards");
        }
    }

    private static final class Parts {

        final FrameKind kind;
        final int flags;
        final int channel;
        final int aux;
        final long first;
        final long second;
        final int controlPlace;
        final int controlLength;
        final int bodyPlace;
        final int bodyLength;

        Parts(FrameStream stream, long number) {
            SplittableRandom random = new SplittableRandom(stream.seed + number * 0x9e3779b97f4a7c15L);
            kind = KINDS.get(random.nextInt(KINDS.size()));
            flags = random.nextInt(256) & ~Frame.LINK_FLAGS;
            channel = random.nextInt();
            aux = random.nextInt();
            first = random.nextLong();
            second = random.nextLong();
            controlPlace = random.nextInt(Noise.PLACES);
            controlLength = Math.min(stream.control.pick(random), Math.min(stream.maxFrame, 0xffff));
            bodyPlace = random.nextInt(Noise.PLACES);
            bodyLength = Math.min(stream.body.pick(random), stream.maxFrame - controlLength);
        }

        void fill(Frame frame, ByteBuf ownedBody) {
            var unused = frame.set(kind, flags, channel, aux)
                    .words(first, second)
                    .control(Noise.copy(controlPlace, controlLength))
                    .body(ownedBody);
        }

        boolean isHeadOf(Frame frame) {
            return frame.kind() == kind
                    && frame.flags() == flags
                    && frame.channel() == channel
                    && frame.aux() == aux
                    && (kind.words() < 1 || frame.first() == first)
                    && (kind.words() < 2 || frame.second() == second)
                    && frame.region() == null
                    && frame.control().length == controlLength
                    && Noise.equal(controlPlace, frame.control());
        }

        boolean isBodyOf(Frame frame) {
            return frame.body().readableBytes() == bodyLength && Noise.equal(bodyPlace, frame.body());
        }

        void check(long number, boolean same, Frame frame) {
            if (!same) {
                throw new AssertionError(
                        "frame " + number + " should be " + this + ", but what came is " + frame + difference(frame));
            }
        }

        private String difference(Frame frame) {
            byte[] control = Noise.copy(controlPlace, controlLength);
            byte[] body = Noise.copy(bodyPlace, bodyLength);
            byte[] came = new byte[frame.body().readableBytes()];
            frame.body().getBytes(frame.body().readerIndex(), came);
            return "; words " + frame.first() + ' ' + frame.second() + "; control differs at "
                    + Arrays.mismatch(control, frame.control()) + ", body at " + Arrays.mismatch(body, came);
        }

        @Override
        public String toString() {
            return kind + "[channel=" + Integer.toUnsignedString(channel) + ", flags=" + flags + ", aux="
                    + Integer.toUnsignedString(aux) + ", words " + first + ' ' + second + ", control=" + controlLength
                    + " B, body=" + bodyLength + " B]";
        }
    }
}
