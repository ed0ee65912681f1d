package io.weir.service.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Turns;
import io.weir.core.Message;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * What a socket sends: the source of a channel's half. One thread at a time writes; a write goes out at once while the
 * peer's credit lasts, then into one segment that grows until there is credit again. When that is full, the writer
 * waits.
 */
final class Outgoing extends OutputStream implements Publisher<Message>, Subscription {

    private final Sleeper sleeper;
    private final Supplier<ByteBufAllocator> allocator;
    private final ReentrantLock writing = new ReentrantLock();
    /** What has been written and not sent. The writer takes it out, adds something, and puts it back. */
    private final AtomicReference<@Nullable ByteBuf> pending = new AtomicReference<>();

    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger draining = new AtomicInteger();
    private volatile @Nullable Turns turns;
    private volatile @Nullable Subscriber<? super Message> sink;
    /** The writer may hold what was pending. Set before it looks whether the stream has ended. */
    private volatile boolean filling;

    private volatile boolean ended;
    private volatile boolean closed;
    /** Nobody takes anything any more. */
    private volatile boolean over;

    private volatile @Nullable Throwable failure;
    /** What ends the stream, in place of a good end. */
    private volatile @Nullable Throwable refusal;

    Outgoing(long spinNanos, Supplier<ByteBufAllocator> allocator) {
        this.sleeper = new Sleeper(spinNanos);
        this.allocator = allocator;
    }

    void turns(Turns its) {
        turns = its;
        sleeper.turns(its);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        writing.lock();
        try {
            checkOpen();
            for (int done = 0; done < length; ) {
                int taken = add(source, offset + done, length - done);
                done += taken;
                if (taken == 0 && !sleeper.await(this::mayGoOn, 0)) {
                    throw new IllegalStateException("a time without a limit is over");
                }
            }
        } finally {
            writing.unlock();
        }
    }

    /** As much as there is room for now. */
    private int add(byte[] source, int offset, int length) throws IOException {
        filling = true;
        int taken = 0;
        try {
            checkOpen();
            ByteBuf segment = pending.getAndSet(null);
            if (segment == null) {
                taken = Math.min(length, Segment.LONGEST);
                segment = Segment.of(taken, allocator.get());
            } else {
                taken = Math.min(length, Segment.LONGEST - segment.readableBytes());
            }
            pending.set(segment.writeBytes(source, offset, taken));
        } finally {
            filling = false;
            // Also if it has failed: an end may have waited for this.
            drainHere();
        }
        return taken;
    }

    /** If the loop can't be had, the bytes go over to it. */
    private void drainHere() {
        Turns own = turns;
        if (own == null || VirtualThreads.isCurrent() || !own.tryRun(this::drain)) {
            drain();
        }
    }

    private boolean mayGoOn() {
        return pending.get() == null || over || ended || closed;
    }

    private void checkOpen() throws SocketException {
        Throwable reason = failure;
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (reason != null) {
            throw SocketErrors.reset(reason);
        }
        if (ended) {
            throw new SocketException("Socket output is shutdown");
        }
        if (over) {
            throw new SocketException("Broken pipe: the peer has closed its socket");
        }
    }

    @Override
    public void subscribe(Subscriber<? super Message> subscriber) {
        sink = subscriber;
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            demand.accumulateAndGet(n, Operators::addCap);
            drain();
        }
    }

    /** The channel has ended, or the peer takes nothing more. */
    @Override
    public void cancel() {
        over = true;
        drain();
        sleeper.wake();
    }

    private void drain() {
        if (draining.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            Subscriber<? super Message> to = sink;
            if (over) {
                release();
            } else if (to != null) {
                send(to);
            }
            seen = draining.addAndGet(-seen);
        } while (seen != 0);
    }

    private void send(Subscriber<? super Message> to) {
        while (demand.get() > 0) {
            ByteBuf segment = pending.getAndSet(null);
            if (segment == null) {
                break;
            }
            demand.decrementAndGet();
            to.onNext(Message.of(segment));
            sleeper.wake();
        }
        if (ended && !filling && pending.get() == null) {
            over = true;
            Throwable reason = refusal;
            if (reason == null) {
                to.onComplete();
            } else {
                to.onError(reason);
            }
        }
    }

    private void release() {
        ByteBuf segment = pending.getAndSet(null);
        if (segment != null) {
            segment.release();
        }
    }

    /** Ends this half, behind what has been written. */
    void shutdown() {
        ended = true;
        drain();
        sleeper.wake();
    }

    /** As {@link #close}, with an error. */
    void refuse(Throwable reason) {
        refusal = reason;
        close();
    }

    /** As {@link #shutdown}, and writers get an error. */
    @Override
    public void close() {
        closed = true;
        shutdown();
    }

    /** Sending has failed. */
    void failed(Throwable reason) {
        failure = reason;
        cancel();
    }
}
