package io.weir.benchmark.contender;

import io.netty.buffer.ByteBuf;
import java.util.function.IntFunction;

/** The client's end of an exchange of buffers: makes its messages and takes what comes. For one thread at a time. */
final class Dialogue {

    private final Cell cell;
    private final Payload payload;
    private final Meter meter;
    private final Pinning pinning;
    private final IntFunction<ByteBuf> memory;
    private long sent;
    private boolean pinned;

    /** @param memory gives an empty buffer with room for so many bytes */
    Dialogue(Cell cell, Meter meter, Pinning pinning, IntFunction<ByteBuf> memory) {
        this.cell = cell;
        this.payload = new Payload(cell.size());
        this.meter = meter;
        this.pinning = pinning;
        this.memory = memory;
    }

    /** The next message to send; whoever asks owns it. */
    ByteBuf next() {
        ByteBuf buffer = memory.apply(cell.size());
        return cell.scenario() == Scenario.LOANED
                ? payload.writeNumberTo(buffer, sent++)
                : payload.writeTo(buffer, sent++);
    }

    /** The number of the next message, for whoever makes it without a buffer. */
    long nextNumber() {
        return sent++;
    }

    /** The number of the message that {@link #next} made last. */
    long lastSent() {
        return sent - 1;
    }

    /** Takes notice of a message of a one-way stream, at the reader index; it stays the caller's. */
    void arrived(ByteBuf message) {
        pin();
        if (cell.scenario() == Scenario.CHECKED) {
            payload.check(message);
        }
        meter.arrived(Payload.sequence(message));
    }

    /** As {@link #arrived(ByteBuf)}, of the message with this number, which nobody checks. */
    void arrived(long number) {
        pin();
        meter.arrived(number);
    }

    /**
     * Takes notice of the next echo, at the reader index; it stays the caller's.
     *
     * @return whether to send another message
     */
    boolean echoed(ByteBuf reply) {
        return echoed(Payload.sequence(reply));
    }

    /** As {@link #echoed(ByteBuf)}, of the echo with this number. */
    boolean echoed(long sequence) {
        pin();
        return cell.scenario() == Scenario.ECHO ? meter.answered(sequence) : meter.roundTrip(sequence);
    }

    /**
     * Takes notice of the reply to the request with this number, as {@link #echoed} does.
     *
     * @return whether to send another request
     */
    boolean replied(ByteBuf reply, long request) {
        return replied(Payload.sequence(reply), request);
    }

    /** As {@link #replied(ByteBuf, long)}, of the reply with this number. */
    boolean replied(long sequence, long request) {
        pin();
        if (sequence != request) {
            throw new IllegalStateException("Request " + request + " got the reply to " + sequence + ".");
        }
        return meter.answered();
    }

    /** By the first message that comes: only then the hot thread is known. */
    private void pin() {
        if (!pinned) {
            pinned = true;
            pinning.pinHere();
        }
    }
}
