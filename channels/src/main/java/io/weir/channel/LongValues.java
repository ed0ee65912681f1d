package io.weir.channel;

import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What the values of one session are decoded with: its memory, its loop, and for long values threads that may block,
 * because the worst input of a codec can take a loop's time away from everybody else on it. One at a time, so that a
 * peer gets no more than one thread. Loop thread only, where a method does not say otherwise.
 */
final class LongValues {

    /** Bytes of a value that is read at once: the worst input of our codecs takes 10 ms. */
    static final int SHORT = 64 << 10;

    private final PeerId peer;
    private final Consumer<Runnable> onLoop;
    private final MemoryAccount.Share memory;
    private final ArrayDeque<Reading<?>> waiting = new ArrayDeque<>(0);
    private @Nullable Reading<?> running;

    /** @param onLoop runs a task on the loop */
    LongValues(PeerId peer, Consumer<Runnable> onLoop, MemoryAccount.Share memory) {
        this.peer = peer;
        this.onLoop = onLoop;
        this.memory = memory;
    }

    /** Who sends the values. */
    PeerId peer() {
        return peer;
    }

    /** Runs the task on the loop. Any thread. */
    void execute(Runnable task) {
        onLoop.accept(task);
    }

    /**
     * For the value of a message that the account has, or will have: up to the length of that, the value costs nothing
     * more. Any thread.
     */
    HeldMemory held(MemoryUse use, Message message) {
        return new HeldMemory(memory, use, MessageCost.of(message) + MemoryAccount.ITEM);
    }

    /** Who gets a value, or why there is none; on the loop. */
    interface Reader<T> {

        void read(@Nullable T value, @Nullable Throwable error);
    }

    /**
     * Takes the message over and reads it. What the value takes beyond its message is held until its reader has it.
     *
     * @param cost bytes of it that the account of memory does not have yet
     * @param reader gets the outcome once, unless it has disposed of this before
     */
    <T> Disposable read(Message message, long cost, Codec<T> codec, Reader<? super T> reader) {
        return read(message, cost, codec, held(MemoryUse.LONG_MESSAGES, message), reader);
    }

    /** @param held for the value, which is released once */
    <T> Disposable read(Message message, long cost, Codec<T> codec, HeldMemory held, Reader<? super T> reader) {
        // What comes in is lent as soon as the former message was delivered: here they would pile up.
        boolean within = memory.tryTake(MemoryUse.LONG_MESSAGES, cost);
        if (!within) {
            memory.lendAnyway(cost);
        }
        Reading<T> reading = new Reading<>(message, cost, !within, codec, held, reader);
        waiting.add(reading);
        next();
        return reading;
    }

    private void next() {
        Reading<?> first = running == null ? waiting.poll() : null;
        if (first != null) {
            running = first;
            first.begin(Schedulers.boundedElastic());
        }
    }

    private final class Reading<T> implements Disposable {

        private final Message message;
        private final long cost;
        /** Whether it counts as lent, as it is more than the peer may keep. */
        private final boolean lent;

        private final Codec<T> codec;
        private final HeldMemory held;
        private final Reader<? super T> reader;
        private boolean disposed;

        Reading(Message message, long cost, boolean lent, Codec<T> codec, HeldMemory held, Reader<? super T> reader) {
            this.message = message;
            this.cost = cost;
            this.lent = lent;
            this.codec = codec;
            this.held = held;
            this.reader = reader;
        }

        void begin(Scheduler threads) {
            try {
                var unused = threads.schedule(this::run);
            } catch (RejectedExecutionException e) {
                message.release();
                over(null, e);
            }
        }

        private void run() {
            T value;
            try {
                value = Objects.requireNonNull(message.decode(codec, held), "the codec has made null of a message");
            } catch (Throwable t) {
                // Also what is fatal elsewhere: somebody waits for the outcome.
                execute(() -> over(null, t));
                return;
            }
            execute(() -> over(value, null));
        }

        private void over(@Nullable T value, @Nullable Throwable error) {
            running = null;
            giveBack();
            try {
                if (!disposed) {
                    disposed = true;
                    reader.read(value, error);
                }
            } finally {
                held.release();
                next();
            }
        }

        private void giveBack() {
            if (lent) {
                memory.giveBackLease(cost);
            } else {
                memory.give(MemoryUse.LONG_MESSAGES, cost);
            }
        }

        /**
         * Nobody wants the value any more. What is being read is read to its end, as its buffer can't be taken away.
         */
        @Override
        public void dispose() {
            execute(() -> {
                disposed = true;
                if (waiting.remove(this)) {
                    giveBack();
                    held.release();
                    message.release();
                }
            });
        }

        @Override
        public boolean isDisposed() {
            return disposed;
        }
    }
}
