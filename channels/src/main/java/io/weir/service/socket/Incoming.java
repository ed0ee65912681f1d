package io.weir.service.socket;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Channel;
import io.weir.channel.Turns;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.concurrent.Queues;

/**
 * What a socket receives. Messages come on the loop and wait here; one thread at a time reads them. Bounded: while
 * {@link #ENOUGH} bytes wait, no more are asked for. What waits is in the channel's window, and so in the account of
 * memory, until it was read.
 */
final class Incoming extends InputStream implements CoreSubscriber<Message> {

    /** Messages that are asked for at once. */
    static final int BATCH = 16;

    private static final int ENOUGH = 256 << 10;

    /** Messages that may wait, however small: each is a buffer of its own. */
    private static final int MANY = 1024;

    private final Sleeper sleeper;
    private final Queue<ByteBuf> queue = Queues.<ByteBuf>unbounded(2 * BATCH).get();
    private LongConsumer consumed = bytes -> {};
    private int batch = BATCH;
    private int many = MANY;
    /** Bytes that can be read without waiting. */
    private final AtomicLong waiting = new AtomicLong();

    private final AtomicInteger asked = new AtomicInteger();

    private final ReentrantLock reading = new ReentrantLock();
    /** Partly read; guarded by the lock, as is its length. */
    private @Nullable ByteBuf current;

    private int currentLength;

    private volatile @Nullable Subscription upstream;
    /** No more were asked for, as too much waits: the reader does it. */
    private volatile boolean full;

    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private volatile boolean shut;
    private volatile boolean closed;
    private volatile int timeoutMillis;

    Incoming(long spinNanos) {
        sleeper = new Sleeper(spinNanos);
    }

    /** Receives from this channel. */
    void attach(Channel channel, Turns turns) {
        sleeper.turns(turns);
        keep(channel.firstItems(), channel::consumed);
        channel.receiveKept(batch).subscribe(this);
    }

    /**
     * Bounds what may wait. Before anything comes.
     *
     * @param messages how many at once, with those that are asked for
     * @param whenConsumed gets the length of each message that is kept no longer
     */
    void keep(int messages, LongConsumer whenConsumed) {
        batch = Math.max(1, Math.min(BATCH, messages / 4));
        many = Math.max(1, Math.min(MANY, messages - 2 * batch));
        consumed = whenConsumed;
    }

    /** How long a read waits, in milliseconds; 0 for any time. */
    void timeout(int millis) {
        timeoutMillis = millis;
    }

    int timeout() {
        return timeoutMillis;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        if (closed) {
            subscription.cancel();
        } else {
            ask();
        }
    }

    private void ask() {
        int before = asked.get();
        if (before > batch / 2) {
            return;
        }
        if (isFull()) {
            // Said before the second look, as whoever reads looks at this behind what was taken.
            full = true;
            if (isFull()) {
                return;
            }
        }
        if (asked.compareAndSet(before, batch)) {
            full = false;
            Objects.requireNonNull(upstream).request(batch - before);
        }
    }

    private boolean isFull() {
        return waiting.get() >= ENOUGH || queue.size() >= many;
    }

    @Override
    public void onNext(Message message) {
        asked.decrementAndGet();
        ByteBuf bytes = message.payload();
        int size = bytes.readableBytes();
        if (size > Segment.LONGEST) {
            drop(bytes, size);
            Objects.requireNonNull(upstream).cancel();
            onError(new ProtocolMismatch("the peer sent " + size + " bytes of a socket's stream at once, more than "
                    + Segment.LONGEST + ": it is no socket of Weir"));
            return;
        }
        if (size == 0 || shut || closed) {
            drop(bytes, size);
        } else {
            waiting.addAndGet(size);
            if (!queue.offer(bytes)) {
                throw new IllegalStateException("an unbounded queue is full");
            }
            sleeper.wake();
            discardIfUnwanted();
        }
        ask();
    }

    private void drop(ByteBuf bytes, int length) {
        bytes.release();
        consumed.accept(length);
    }

    @Override
    public void onError(Throwable error) {
        failure = error;
        sleeper.wake();
    }

    @Override
    public void onComplete() {
        ended = true;
        sleeper.wake();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        reading.lock();
        try {
            ByteBuf bytes = next();
            return bytes == null ? -1 : take(bytes, target, offset, length);
        } finally {
            reading.unlock();
            discardIfUnwanted();
        }
    }

    /** What is to be read next; null at the end. */
    private @Nullable ByteBuf next() throws IOException {
        if (!sleeper.await(this::mayGoOn, timeoutMillis * 1_000_000L)) {
            throw new SocketTimeoutException("Read timed out");
        }
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (shut) {
            return null;
        }
        if (current == null) {
            current = queue.poll();
            currentLength = current == null ? 0 : current.readableBytes();
        }
        Throwable reason = failure;
        if (current == null && reason != null) {
            throw SocketErrors.reset(reason);
        }
        return current;
    }

    /** What has come before the end is read before it. */
    private boolean mayGoOn() {
        return current != null || !queue.isEmpty() || ended || failure != null || shut || closed;
    }

    private int take(ByteBuf bytes, byte[] target, int offset, int length) {
        int count = Math.min(length, bytes.readableBytes());
        bytes.readBytes(target, offset, count);
        if (!bytes.isReadable()) {
            drop(bytes, currentLength);
            current = null;
        }
        long unused = waiting.getAndAdd(-count);
        if (full) {
            ask();
        }
        return count;
    }

    @Override
    public int available() {
        return shut || closed ? 0 : (int) waiting.get();
    }

    /** Nothing more is read; what still comes is dropped, and the peer need not know. */
    void shutdown() {
        shut = true;
        sleeper.wake();
        discardIfUnwanted();
    }

    /** As {@link #shutdown}, and the peer is informed. */
    @Override
    public void close() {
        closed = true;
        Subscription from = upstream;
        if (from != null) {
            from.cancel();
        }
        sleeper.wake();
        discardIfUnwanted();
    }

    /** Whoever holds the lock looks again when it has given it up. */
    private void discardIfUnwanted() {
        while ((shut || closed) && hasSome() && reading.tryLock()) {
            try {
                discard();
            } finally {
                reading.unlock();
            }
        }
    }

    private boolean hasSome() {
        return waiting.get() > 0;
    }

    private void discard() {
        ByteBuf partly = current;
        current = null;
        if (partly != null) {
            waiting.addAndGet(-partly.readableBytes());
            drop(partly, currentLength);
        }
        for (ByteBuf bytes; (bytes = queue.poll()) != null; ) {
            int length = bytes.readableBytes();
            waiting.addAndGet(-length);
            drop(bytes, length);
        }
        if (!closed) {
            ask();
        }
    }
}
