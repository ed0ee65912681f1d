package io.weir.benchmark.contender;

import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/** One side's two streams and what its hot thread does with them until it is stopped. */
final class AeronLane {

    private static final int FRAGMENTS = 64;

    private final Subscription in;
    private final ExclusivePublication out;
    private final Payload payload;
    private final UnsafeBuffer source;
    private final BufferClaim claim = new BufferClaim();
    private final IdleStrategy idle;
    private volatile boolean stopped;

    /* Of the client's hot thread. */
    private long sent;
    private long received;
    private boolean going = true;

    AeronLane(Subscription in, ExclusivePublication out, Payload payload, IdleStrategy idle) {
        this.in = in;
        this.out = out;
        this.payload = payload;
        this.source = new UnsafeBuffer(
                ByteBuffer.allocateDirect(payload.size()).put(payload.content()).flip());
        this.idle = idle;
    }

    void stop() {
        stopped = true;
    }

    void serve(Cell cell) {
        if (cell.scenario().isOneWay()) {
            produce();
        } else {
            FragmentHandler echo = whole((buffer, offset, length, header) -> send(buffer, offset, length));
            while (!stopped) {
                idle.idle(in.poll(echo, FRAGMENTS));
            }
        }
    }

    void drive(Cell cell, Meter meter) {
        FragmentHandler handler = whole(receiver(cell, meter));
        boolean answered = !cell.scenario().isOneWay();
        awaitServer();
        meter.begin();
        while (!meter.isOver() && !stopped) {
            int work = answered ? ask(cell.outstanding()) : 0;
            idle.idle(work + in.poll(handler, FRAGMENTS));
        }
    }

    private FragmentHandler receiver(Cell cell, Meter meter) {
        return switch (cell.scenario()) {
            case ONE_WAY -> (buffer, offset, length, header) -> meter.arrived(sequence(buffer, offset));
            case CHECKED ->
                (buffer, offset, length, header) -> {
                    payload.check(view(buffer, offset + Long.BYTES, length - Long.BYTES));
                    meter.arrived(sequence(buffer, offset));
                };
            case ECHO ->
                (buffer, offset, length, header) -> {
                    received++;
                    going = meter.answered(sequence(buffer, offset));
                };
            default ->
                (buffer, offset, length, header) -> {
                    received++;
                    going = meter.roundTrip(sequence(buffer, offset));
                };
        };
    }

    /**
     * Joins the fragments of messages longer than one, in memory outside of the heap, which is checked faster. Others
     * are handled where they lie.
     */
    private FragmentHandler whole(FragmentHandler handler) {
        return isOneFragment() ? handler : new FragmentAssembler(handler, payload.size(), true);
    }

    private boolean isOneFragment() {
        return payload.size() <= out.maxPayloadLength();
    }

    private static long sequence(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer view(DirectBuffer buffer, int offset, int length) {
        int from = buffer.wrapAdjustment() + offset;
        return buffer.byteBuffer().duplicate().limit(from + length).position(from);
    }

    private void awaitServer() {
        while (!(in.isConnected() && out.isConnected()) && !stopped) {
            Thread.onSpinWait();
        }
    }

    /** As many messages as may be under way and find room now. */
    private int ask(int outstanding) {
        int asked = 0;
        while (going && sent - received < outstanding) {
            if (!offer(sent)) {
                break;
            }
            sent++;
            asked++;
        }
        return asked;
    }

    private void produce() {
        long sequence = 0;
        while (!stopped) {
            if (offer(sequence)) {
                sequence++;
                idle.reset();
            } else {
                idle.idle();
            }
        }
    }

    /**
     * Puts the message with this number straight into the log if it fits into one fragment. Else the number goes into
     * the source first, from which it would be read back at once: for small messages the processor would have to wait
     * then until all its older stores are done.
     */
    private boolean offer(long sequence) {
        int size = payload.size();
        if (!isOneFragment()) {
            source.putLong(0, sequence, ByteOrder.LITTLE_ENDIAN);
            return taken(out.offer(source));
        }
        if (!taken(out.tryClaim(size, claim))) {
            return false;
        }
        claim.buffer().putBytes(claim.offset(), source, 0, size);
        claim.buffer().putLong(claim.offset(), sequence, ByteOrder.LITTLE_ENDIAN);
        claim.commit();
        return true;
    }

    private void send(DirectBuffer buffer, int offset, int length) {
        while (!stopped) {
            if (isOneFragment() ? copied(buffer, offset, length) : taken(out.offer(buffer, offset, length))) {
                idle.reset();
                return;
            }
            idle.idle();
        }
    }

    /** From one log straight into the other. */
    private boolean copied(DirectBuffer buffer, int offset, int length) {
        if (!taken(out.tryClaim(length, claim))) {
            return false;
        }
        claim.buffer().putBytes(claim.offset(), buffer, offset, length);
        claim.commit();
        return true;
    }

    /** False when it is to be tried again: no room yet, or nobody there yet. */
    private static boolean taken(long result) {
        if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException("Aeron takes no more messages: " + Publication.errorString(result));
        }
        return result > 0;
    }
}
