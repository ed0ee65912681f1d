package io.weir.transport.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link: a bounded queue from one loop to another, whose places are used again and again.
 *
 * <p>Nobody is forgotten: who changes something publishes it, then looks whether the other one waits for it; who wants
 * to wait says so, then looks once more. A full fence stands between the two steps on either side.
 */
final class Pipe {

    /** Bytes under way at which the queue is full, however few frames they are. */
    private static final long MOST_BYTES = 4 << 20;

    private static final byte[] NO_CONTROL = {};

    private final Place[] places;
    /** Whose frames come out here. */
    final LocalLink consumer;

    /** Whose frames come in here; null until the other half was joined. */
    volatile @Nullable LocalLink producer;

    /** Frames put in; written by the producer. */
    private final AtomicLong tail = new AtomicLong();
    /** Frames taken out; written by the consumer. */
    private final AtomicLong head = new AtomicLong();
    /** The consumer's loop sleeps, or is about to. */
    private final AtomicBoolean asleep = new AtomicBoolean();
    /** The producer was refused, and wants to know when half of what was there then is gone. */
    private final AtomicBoolean waits = new AtomicBoolean();

    private volatile long enough;

    /** Nothing comes after what is in the queue. */
    private volatile boolean ended;
    /** Nobody takes anything out any longer. */
    private volatile boolean abandoned;

    /* Of the producer: what it knows of the consumer's progress. */
    private long freed;
    private long bytes;

    private static final class Place {
        private FrameKind kind = FrameKind.DATA;
        private int flags;
        private int channel;
        private int aux;
        private long first;
        private long second;
        private byte[] control = NO_CONTROL;
        private ByteBuf body = Unpooled.EMPTY_BUFFER;
        private int length;
    }

    Pipe(LocalLink consumer, int capacity) {
        this.consumer = consumer;
        this.places = new Place[capacity];
        for (int i = 0; i < capacity; i++) {
            places[i] = new Place();
        }
    }

    private Place place(long number) {
        return places[(int) number & (places.length - 1)];
    }

    boolean isEmpty() {
        return tail.getAcquire() == head.getAcquire();
    }

    /** Producer. Whether a frame would be taken now. */
    boolean hasRoom() {
        long put = tail.getPlain();
        if (put - freed < places.length && bytes < MOST_BYTES) {
            return true;
        }
        for (long taken = head.getAcquire(); freed < taken; freed++) {
            bytes -= place(freed).length;
        }
        return put - freed < places.length && bytes < MOST_BYTES;
    }

    /** Producer, when there is room. Takes over the body. */
    void put(Frame frame) {
        long put = tail.getPlain();
        Place place = place(put);
        place.kind = frame.kind();
        place.flags = frame.flags();
        place.channel = frame.channel();
        place.aux = frame.aux();
        place.first = frame.first();
        place.second = frame.second();
        // The sender may use its array again.
        place.control =
                frame.control().length == 0 ? frame.control() : frame.control().clone();
        // The receiver moves the reader index, which is no business of those who hold the body as well.
        place.body = frame.body().refCnt() > 1 ? frame.body().slice() : frame.body();
        place.length = frame.length();
        bytes += place.length;
        tail.setRelease(put + 1);
    }

    /** Producer, after it has put frames or ended: wakes the consumer if it sleeps. */
    void tellConsumer() {
        VarHandle.fullFence();
        if (asleep.getOpaque() && asleep.getAndSet(false)) {
            consumer.wake();
        }
        if (abandoned) {
            drain();
        }
    }

    /** Producer, after it was refused. Returns true if there is room again already; else it will be told. */
    boolean awaitRoom() {
        enough = (tail.getPlain() - head.getAcquire()) / 2;
        waits.set(true);
        VarHandle.fullFence();
        return isEnough() && waits.getAndSet(false);
    }

    private boolean isEnough() {
        return tail.getAcquire() - head.getAcquire() <= enough;
    }

    /** Consumer. Takes the next frame out into this one and returns that; null if there is none. */
    @Nullable
    Frame take(Frame into) {
        long taken = head.getPlain();
        if (taken == tail.getAcquire()) {
            return null;
        }
        Place place = place(taken);
        Frame frame = into.set(place.kind, place.flags, place.channel, place.aux)
                .words(place.first, place.second)
                .control(place.control)
                .body(place.body);
        place.control = NO_CONTROL;
        place.body = Unpooled.EMPTY_BUFFER;
        head.setRelease(taken + 1);
        return frame;
    }

    /** Consumer, after it has taken frames: tells the producer if it waits for that. */
    void tellProducer() {
        VarHandle.fullFence();
        LocalLink waiting = producer;
        if (waits.getOpaque() && isEnough() && waiting != null && waits.getAndSet(false)) {
            waiting.roomThere();
        }
    }

    /** Consumer. Wants to be woken from now on. Returns whether there is nothing to do now. */
    boolean fallAsleep() {
        asleep.set(true);
        VarHandle.fullFence();
        return isEmpty() && !ended;
    }

    void wakeUp() {
        asleep.set(false);
    }

    /** Producer, or for one that was never joined its consumer: nothing more comes. */
    void end() {
        ended = true;
        tellConsumer();
    }

    /** Whether everything was taken out and nothing more comes. */
    boolean isOver() {
        return ended && isEmpty();
    }

    /** Consumer: takes nothing out any longer; what is in the queue, or still comes, is released. */
    void abandon() {
        abandoned = true;
        VarHandle.fullFence();
        drain();
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Either side, once this is abandoned. */
    private synchronized void drain() {
        Frame frame = new Frame();
        for (Frame left; (left = take(frame)) != null; ) {
            left.release();
        }
    }
}
