package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.WeirException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One side of a pair as a test drives it. Whatever the test is about, it also holds the link to the rules that always
 * apply: calls come on the loop, never from within {@code offer}, none after {@code lost} or one's own {@code close},
 * {@code writable} only after a no.
 */
final class End implements LinkHandler {

    final String name;
    final Link link;
    final Loop loop;
    final Bodies bodies;

    /* Of the loop's thread. */
    private final List<Pump> pumps = new ArrayList<>();
    private boolean receiving;
    private boolean offering;
    private boolean refused;
    private boolean closed;

    private volatile FrameSink sink = frame -> {};
    private volatile Runnable whenWritable = () -> {};
    private volatile Runnable whenLost = () -> {};
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();
    private final AtomicLong writables = new AtomicLong();
    private volatile @Nullable WeirException lost;
    private volatile @Nullable Throwable failure;

    End(String name, Link link, Loop loop) {
        this.name = name;
        this.link = link;
        this.loop = loop;
        this.bodies = new Bodies(link.allocator());
    }

    /** What a test does with a frame. The body is released afterwards: to keep it, retain it. */
    @FunctionalInterface
    interface FrameSink {
        void frame(Frame frame) throws Exception;
    }

    /** A task that may fail. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    /** Thrown by a sink to break the link, where that is what the test is about. */
    static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Thrown() {
            super("thrown by the handler, as the test wants");
        }
    }

    /** Becomes the link's handler and passes frames on to the sink. */
    void receive(FrameSink sink) {
        this.sink = sink;
        run(this::receiveHere);
    }

    /** Becomes the link's handler; on the loop's thread. */
    void receiveHere() {
        receiving = true;
        link.handler(this);
    }

    /** Receives the frames of this stream, from number 0 on, and nothing else. */
    void expect(FrameStream stream) {
        receive(frame -> stream.check(received() - 1, frame));
    }

    /** Passes frames on to another sink from now on; on the loop's thread or before {@link #receive}. */
    void sink(FrameSink sink) {
        this.sink = sink;
    }

    /** Runs this, on the loop, whenever the link says that there is room again. */
    void whenWritable(Runnable task) {
        this.whenWritable = task;
    }

    /** Runs this, on the loop, when the link is lost. */
    void whenLost(Runnable task) {
        this.whenLost = task;
    }

    /** Offers the frame; on the loop's thread. */
    boolean offer(Frame frame) {
        offering = true;
        try {
            boolean taken = link.offer(frame);
            if (!taken) {
                refusals.incrementAndGet();
                refused = true;
            }
            return taken;
        } finally {
            offering = false;
        }
    }

    /** Sends the frame from any thread, as soon as there is room. */
    void send(Frame frame) {
        Await.until(() -> name + " takes " + frame, () -> call(() -> offer(frame)));
    }

    /** Sends a DATA frame with this body from any thread, as soon as there is room. */
    void send(ByteBuf body) {
        send(new Frame().set(FrameKind.DATA, 0, 1, 0).body(body));
    }

    /** Sends the frames of this source from number 0 to {@code count}, in the background. */
    void sendAll(FrameSource source, long count) {
        var unused = pump(source, count);
    }

    /** Offers the frames of this source from number 0 to {@code count} as fast as the link takes them. */
    Pump pump(FrameSource source, long count) {
        Pump pump = new Pump(this, source, count);
        run(() -> {
            attach(pump);
            pump.more();
        });
        return pump;
    }

    /** Lets the pump know when there is room, and stops it in the end; on the loop's thread. */
    void attach(Pump pump) {
        if (!receiving) {
            receiveHere(); // without a handler, nobody can be told that there is room
        }
        pumps.add(pump);
        whenWritable(pump::more);
    }

    /** Runs the task on the loop and waits for its end. */
    void run(Task task) {
        var unused = call(() -> {
            task.run();
            return true;
        });
    }

    /** Runs the task on the loop and waits for its result. */
    <T> T call(Callable<T> task) {
        return call(loop, name, task);
    }

    /** Runs the task on this loop and waits for its result. */
    static <T> T call(Loop loop, String name, Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return result.get(Await.patience().toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("on the loop of " + name + ": " + e.getCause(), e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("the loop of " + name + " does not get to a task", e);
        }
    }

    /** Runs the task on this loop, if that has not ended, and waits for its end. */
    static void runUnlessEnded(Loop loop, Task task) {
        try {
            var unused = call(loop, loop.name(), () -> {
                task.run();
                return true;
            });
        } catch (RejectedExecutionException e) {
            // The test has ended this loop, and with it what lived there.
        }
    }

    /** Lets the loop have this many turns at least. */
    void pass(int turns) {
        for (int i = 0; i < turns; i++) {
            run(() -> {});
        }
    }

    /** Keeps the loop from doing anything until the returned task is run. */
    Runnable stop() {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        loop.execute(() -> {
            stopped.countDown();
            await(goOn);
        });
        await(stopped);
        return goOn::countDown;
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Await.patience().toSeconds() * 2, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody released the loop");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Closes the link in good order. */
    void close() {
        run(this::closeHere);
    }

    /** As {@link #close}, on the loop's thread. */
    void closeHere() {
        closed = true;
        link.close();
    }

    void awaitReceived(long count) {
        awaitSome(count);
        check();
        if (received() > count) {
            throw new AssertionError(name + " has received " + received() + " frames, of " + count);
        }
    }

    /** Waits for this many frames, of more: as long as more of them come, since some machines are busy. */
    void awaitSome(long count) {
        long before = -1;
        while (!Await.within(Await.patience(), () -> reached(count))) {
            if (before == handled.get()) {
                throw new AssertionError("no more for " + Await.patience().toSeconds() + " s: " + name + " has "
                        + received() + " of " + count + " frames, lost: " + lost);
            }
            before = handled.get();
        }
    }

    private boolean reached(long count) {
        check();
        return handled.get() >= count;
    }

    WeirException awaitLost() {
        Await.until(() -> name + " hears that the link is lost", () -> {
            check();
            return lost != null;
        });
        WeirException reason = lost;
        if (reason == null || reason.getMessage() == null || reason.getMessage().isBlank()) {
            throw new AssertionError(name + " should be told why the link is lost, not " + reason);
        }
        return reason;
    }

    /** Fails if a rule was broken on this side so far. */
    void check() {
        Throwable broken = failure;
        if (broken != null) {
            throw new AssertionError("on " + name + ": " + broken, broken);
        }
    }

    /** How many frames came, the one that is being delivered included. */
    long received() {
        return received.get();
    }

    long refusals() {
        return refusals.get();
    }

    long writables() {
        return writables.get();
    }

    @Nullable
    WeirException lost() {
        return lost;
    }

    @Override
    public void frame(Frame frame) {
        if (received() == 0 && Hello.is(frame)) {
            frame.release();
            return;
        }
        try {
            rules("frame");
            if ((frame.flags() & Frame.LINK_FLAGS) != 0) {
                throw new AssertionError("the link's own flags were not cleared: " + frame);
            }
            if (!frame.isLent() && frame.body().refCnt() < 1) {
                throw new AssertionError("the body was released before it was delivered: " + frame);
            }
            received.incrementAndGet();
            sink.frame(frame);
        } catch (Thrown e) {
            throw e;
        } catch (Throwable e) {
            fail(e);
        } finally {
            frame.release();
            handled.incrementAndGet();
        }
    }

    @Override
    public void writable() {
        guard(() -> {
            rules("writable");
            if (!refused) {
                throw new AssertionError("writable() without an offer that said no");
            }
            refused = false;
            writables.incrementAndGet();
            whenWritable.run();
        });
    }

    @Override
    public void lost(WeirException reason) {
        guard(() -> {
            rules("lost");
            lost = reason;
            whenLost.run();
        });
    }

    private void rules(String call) {
        if (!loop.inLoop()) {
            throw new AssertionError(call + "() came on " + Thread.currentThread());
        }
        if (offering) {
            throw new AssertionError(call + "() came from within offer()");
        }
        if (closed) {
            throw new AssertionError(call + "() came after close()");
        }
        if (lost != null) {
            throw new AssertionError(call + "() came after lost(" + lost + ")");
        }
    }

    /** Runs this; what it throws fails the test instead of the loop. */
    void guard(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** Ends everything on this side; on the loop's thread. */
    void giveUp() {
        closeHere();
        pumps.forEach(Pump::stop);
    }
}
