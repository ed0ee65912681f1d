package io.weir.simulator;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import org.jspecify.annotations.Nullable;

/** One frame on its way. Owns one reference to its body. */
final class Parcel {

    FrameKind kind;
    int channel;
    private final int flags;
    private final int aux;
    private final long first;
    private final long second;
    private final byte[] control;
    final ByteBuf body;
    final int length;
    long arrivesAt;
    /** The other side's handler has had it. */
    boolean had;
    /** What the sender keeps of it. */
    @Nullable
    Parcel copy;

    /** The body's content as given here, everything else as in the frame. */
    Parcel(Frame frame, ByteBuf body) {
        kind = frame.kind();
        flags = frame.flags();
        channel = frame.channel();
        aux = frame.aux();
        first = frame.first();
        second = frame.second();
        control = frame.control();
        length = frame.length();
        this.body = body;
    }

    Parcel(Parcel other, ByteBuf body) {
        kind = other.kind;
        flags = other.flags;
        channel = other.channel;
        aux = other.aux;
        first = other.first;
        second = other.second;
        control = other.control;
        length = other.length;
        arrivesAt = other.arrivesAt;
        copy = other.copy;
        this.body = body;
    }

    /** Puts it into the frame, which takes over the body. */
    Frame into(Frame frame) {
        return into(frame, body);
    }

    Frame into(Frame frame, ByteBuf body) {
        return frame.set(kind, flags, channel, aux, body).words(first, second).control(control);
    }

    @Override
    public String toString() {
        return kind + " channel=" + channel + (flags == 0 ? "" : " flags=" + flags) + (aux == 0 ? "" : " aux=" + aux)
                + (kind.words() == 0 ? "" : " words=" + first + ',' + second)
                + (tells(kind) ? "" : " length=" + length);
    }

    /** Whether it is a text for people, which may hold what a real clock has measured: no two runs have the same. */
    private static boolean tells(FrameKind kind) {
        return kind == FrameKind.REFUSE || kind == FrameKind.FAILED;
    }
}
