package io.weir.transport.loop;

import io.netty.channel.Channel;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.weir.core.Insistence;
import io.weir.core.LinkRequest;
import io.weir.core.Loop;
import io.weir.core.LoopBuffers;
import io.weir.core.Misconfigured;
import io.weir.core.Pollable;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A {@link Loop} on a thread of its own that drives a Netty event loop: on epoll where that is there and native code is
 * allowed, else on NIO.
 */
public final class NettyLoop implements Loop {

    private static final int NOT_AT_ALL = -1;
    private static final int UNTIL_SOMETHING_HAPPENS = 0;

    private static final int FEW_SOCKETS = 64;

    /** One round ends a Netty event loop; closing its channels may leave tasks, which leave others. */
    private static final int ENDING_ROUNDS = 100;

    /** Bytes that are set aside for the end of a loop that has died for want of memory. */
    private static final int SPARE = 256 << 10;

    private static final byte[] NOTHING = {};

    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    private final LoopThread thread;
    private final Owner owner = new Owner();
    /** Somebody would like to borrow the loop, and was refused because its thread was awake. */
    private volatile boolean borrowerWaits;
    /** Who had borrowed the loop has left something to be looked at. */
    private volatile boolean recalled;

    private final ManualIoEventLoop eventLoop;
    private final boolean onEpoll;
    private final Tasks tasks;
    private final TurnEnd turnEnd = new TurnEnd();
    private final Pollables pollables = new Pollables();
    /** What was quiet is to be polled. */
    private boolean allDue;

    private final Pace pace;
    private final Failures failures;
    private final Set<Disposable> resources = new LinkedHashSet<>();
    private final Set<Object> delays = new HashSet<>();
    /** Sockets that were opened for this loop, and may not have come as far as to be registered. */
    private final Set<Channel> sockets = ConcurrentHashMap.newKeySet();

    private volatile boolean socketsOver;
    /** So many, and those that are closed are forgotten: one look at all for each that comes would be felt. */
    private volatile int sweepAt = FEW_SOCKETS;

    private final Sinks.Empty<Void> ended = Sinks.empty();
    private final Sinks.One<Throwable> death = Sinks.one();
    private @Nullable Throwable diedOf;

    /** Memory for what has to be done when there is none. */
    @SuppressWarnings("UnusedVariable") // It is there to be given up.
    private byte[] spare = new byte[SPARE];

    // Made beforehand for the same reason.
    private final Runnable ending = this::end;
    private final Runnable endingSockets = this::endSockets;
    private final Runnable endingTasks = this::endTasks;
    private final Runnable announcingDeath = this::announceDeath;
    private final Runnable announcingEnd = this::announceEnd;
    /** Made by the thread that it belongs to. */
    private @Nullable LoopBuffers buffers;

    private volatile long wakeUps;
    private boolean closing;

    private NettyLoop(String name, Waiting waiting, boolean onEpoll) {
        this.thread = new LoopThread(name, this, this::run);
        this.onEpoll = onEpoll;
        this.tasks = new Tasks(name);
        this.pace = new Pace(waiting, System::nanoTime);
        this.failures = new Failures(name);
        this.eventLoop = newEventLoop(onEpoll ? lending(EpollIoHandler.newFactory()) : NioIoHandler.newFactory());
    }

    /**
     * A new loop, running.
     *
     * @param name the name of its thread
     * @param nativeAllowed false: NIO even where epoll is there, and no native code is loaded
     */
    public static NettyLoop start(String name, Waiting waiting, boolean nativeAllowed) {
        Insistence.prepare();
        NettyLoop loop = new NettyLoop(name, waiting, nativeAllowed && Epoll.isAvailable());
        loop.thread.start();
        return loop;
    }

    private ManualIoEventLoop newEventLoop(IoHandlerFactory factory) {
        try {
            return new ManualIoEventLoop(thread, factory) {
                @Override
                protected boolean canBlock() {
                    // Asked last of all before sleeping, when a wake-up from outside would already be noticed.
                    return tasks.isEmpty() && !recalled && (owner.isLent() || turnEnd.isEmpty());
                }
            };
        } catch (RuntimeException e) {
            throw new Misconfigured(
                    "the loop " + thread.getName() + " gets no descriptors for its events (" + e
                            + "): raise the limit of open files (ulimit -n)",
                    e);
        }
    }

    private IoHandlerFactory lending(IoHandlerFactory factory) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new LendingHandler(factory.newHandler(executor), owner);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return factory.isChangingThreadSupported();
            }
        };
    }

    /**
     * The loop whose thread the caller runs on.
     *
     * @throws IllegalStateException on any other thread
     */
    public static NettyLoop current() {
        if (Thread.currentThread() instanceof LoopThread thread) {
            return thread.loop();
        }
        throw new IllegalStateException(Thread.currentThread().getName() + " is not the thread of a loop");
    }

    /** The Netty event loop that this loop drives: channels that are registered with it run on the loop's thread. */
    public IoEventLoop eventLoop() {
        return eventLoop;
    }

    /**
     * The loop of a request whose link has to be on epoll.
     *
     * @param path what needs it, for people
     * @throws Misconfigured if it is not
     */
    public static NettyLoop onEpoll(LinkRequest request, String path) {
        if (request.loop() instanceof NettyLoop loop && loop.onEpoll()) {
            return loop;
        }
        throw new Misconfigured(
                path + " needs a loop on epoll, and " + request.loop().name() + " is none");
    }

    /** Whether this loop runs on epoll; only then native channels and {@link #watch} work. */
    public boolean onEpoll() {
        return onEpoll;
    }

    /**
     * The small buffers of this loop: for what its links receive, and for their allocators. On the loop's thread only.
     */
    public LoopBuffers buffers() {
        return Objects.requireNonNull(buffers, "asked for on another thread, before the loop has begun");
    }

    /**
     * Disposes of this when the loop ends, as a socket is closed then. For links that no descriptor stands for. On the
     * loop's thread only.
     */
    public void closeAtEnd(Disposable resource) {
        resources.add(resource);
    }

    /** The resource has ended by itself. On the loop's thread only. */
    public void forget(Disposable resource) {
        resources.remove(resource);
    }

    /**
     * Lets the loop go on, when it is closed, until {@link #letEnd}: for a link that ends in good order and has
     * something under way. Who calls this bounds the delay. On the loop's thread only.
     */
    public void delayEnd(Object holder) {
        delays.add(holder);
    }

    /** The delay is over. On the loop's thread only. */
    public void letEnd(Object holder) {
        delays.remove(holder);
    }

    /** How many delay it now, as soon as it is closed. On the loop's thread only. */
    public int delays() {
        return delays.size();
    }

    @Override
    public String name() {
        return thread.getName();
    }

    @Override
    public boolean inLoop() {
        return owner.isCurrent();
    }

    @Override
    public void execute(Runnable task) {
        if (tasks.add(Objects.requireNonNull(task, "task"))) {
            eventLoop.wakeup();
        }
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        Objects.requireNonNull(task, "task");
        tasks.refuseAfterEnd();
        long nanos = delay.isNegative() ? 0 : nanosOf(delay);
        Future<?> timer = eventLoop.schedule(() -> failures.run(task), nanos, TimeUnit.NANOSECONDS);
        return new Disposable() {
            @Override
            public void dispose() {
                timer.cancel(false);
            }

            @Override
            public boolean isDisposed() {
                return timer.isDone();
            }
        };
    }

    private static long nanosOf(Duration delay) {
        return delay.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? delay.toNanos() : Long.MAX_VALUE;
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        turnEnd.add(hook);
    }

    @Override
    public void add(Pollable pollable) {
        pollables.add(pollable);
    }

    @Override
    public void remove(Pollable pollable) {
        pollables.remove(pollable);
    }

    /** How many are looked at in each turn: all but the quiet ones. On the loop's thread only. */
    public int polled() {
        return pollables.polled();
    }

    /**
     * Polls this again from the next turn on, if it is {@link Pollable#becomeQuiet() quiet}. By whoever has the loop
     * only.
     */
    public void rouse(Pollable pollable) {
        pollables.rouse(pollable, failures);
    }

    /**
     * Polls all quiet ones again when the loop, which must be asleep now, is awake: for who has next to no stack left.
     * By whoever has borrowed the loop only.
     */
    public void rouseAllAfterSleep() {
        allDue = true;
    }

    @Override
    public Disposable watch(int descriptor, Runnable onReadable) {
        return watch(descriptor, onReadable, onReadable);
    }

    /** As {@link #watch(int, Runnable)}, but runs something else when the other side of a socket has ended. */
    public Disposable watch(int descriptor, Runnable onReadable, Runnable onEnd) {
        if (!onEpoll) {
            throw new UnsupportedOperationException("the loop " + name() + " can't watch descriptor " + descriptor
                    + ": that needs epoll, which is not there or switched off (weir.native)");
        }
        return DescriptorWatch.begin(eventLoop, descriptor, onReadable, onEnd, failures);
    }

    @Override
    public Mono<Void> close() {
        try {
            execute(() -> closing = true);
        } catch (RejectedExecutionException e) {
            // Ended before; the Mono says so.
        }
        return ended.asMono();
    }

    /**
     * Apart from {@link #turns}, as a JVM without memory throws away whole frames of compiled code, with what they
     * catch. This one is never compiled: it runs once, and has no loop.
     */
    private void run() {
        try {
            turns();
        } catch (Throwable t) {
            die(t);
        }
        Insistence.run(announcingEnd);
    }

    private void turns() {
        owner.begin();
        buffers = new LoopBuffers();
        while (!closing || !delays.isEmpty()) {
            turn();
            failures.endOnFullHeap();
        }
        end();
    }

    /**
     * Nothing else is to be expected of this thread, so whoever depends on it must know. It may have died for want of
     * memory: then nothing that is needed here may depend on one attempt.
     */
    private void die(Throwable cause) {
        spare = NOTHING;
        diedOf = cause;
        Insistence.run(ending);
        // Once more, as that may have failed before it came so far: nobody may wait at a listener for ever.
        Insistence.run(endingSockets);
        // Of the sockets and links, what could not be closed is closed by the operating system at the latest.
        Insistence.run(endingTasks);
        Insistence.run(announcingDeath);
    }

    private void endTasks() {
        for (Runnable task : tasks.end()) {
            failures.run(task);
        }
    }

    private void announceDeath() {
        death.tryEmitValue(diedOf).orThrow();
    }

    @Override
    public Mono<Throwable> died() {
        return death.asMono();
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on who gets the processor next.
    private void turn() {
        int work = pollables.poll(failures);
        pace.turn(work);
        if (pollables.isEmpty() || pace.socketsDue()) {
            work += sockets(NOT_AT_ALL);
            warnOfStall();
            pollables.sift(pace.now(), failures);
        }
        work += tasks.run(failures);
        turnEnd.run(failures);
        if (work > 0) {
            pace.worked();
        } else if (pace.restDue()) {
            rest();
        } else if (borrowerWaits) {
            pace.restsEarly();
            rest();
        } else if (pace.yieldDue()) {
            Thread.yield();
            pace.yielded();
        }
    }

    @Override
    public boolean tryBorrow() {
        if (!onEpoll || Thread.currentThread() instanceof LoopThread) {
            return false;
        }
        boolean taken = owner.tryBorrow();
        if (!taken && !owner.isLent() && !borrowerWaits) {
            borrowerWaits = true;
        }
        return taken;
    }

    @Override
    public boolean isWanted() {
        return owner.isWanted();
    }

    @Override
    public void endTurn() {
        long before = failures.count();
        turnEnd.run(failures);
        if (failures.count() != before) {
            throw new IllegalStateException("what was left for the end of the turn has failed");
        }
    }

    @Override
    public void giveBack(boolean recall) {
        boolean looks = recall || !turnEnd.isEmpty() || failures.heapWasFull();
        if (looks) {
            // Before the loop's thread looks for the last time whether it may sleep, or it is woken.
            recalled = true;
        }
        owner.giveBack();
        if (looks) {
            eventLoop.wakeup();
        }
    }

    private void warnOfStall() {
        long nanos = pace.stallToWarnOf();
        if (nanos > 0) {
            LOG.warn(
                    "Loop {} was kept from its work {} times, for up to {} ms: subscribers or handlers on it "
                            + "take long (slow work"
                            + " belongs behind publishOn), or the machine gave it no processor",
                    name(),
                    pace.stalls(),
                    nanos / 1_000_000);
        }
    }

    /** Informs the loop, which may just have been asleep, that something has come. On the loop's thread only. */
    public void woken() {
        pace.woken();
    }

    @Override
    public long stalls() {
        return pace.stalls();
    }

    @Override
    public long wakeUps() {
        return wakeUps;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes it.
    private void rest() {
        borrowerWaits = false;
        recalled = false;
        pace.resting();
        warnOfStall();
        turnEnd.forget();
        tasks.fallAsleep();
        pollables.sift(pace.now(), failures);
        boolean mayRest = pollables.asleep(failures) && !failures.heapWasFull();
        int work = sockets(mayRest ? UNTIL_SOMETHING_HAPPENS : NOT_AT_ALL);
        if (mayRest) {
            wakeUps++;
        }
        tasks.wakeUp();
        pollables.awake(failures);
        if (allDue) {
            allDue = false;
            pollables.rouseAll(failures);
        }
        turnEnd.run(failures);
        pace.rested();
        if (work > 0) {
            pace.worked();
        }
    }

    /**
     * A handler of a socket has caught this. Netty throws away what its handlers throw; but if the JVM's heap is full,
     * what came over that socket is half dealt with, and this loop ends. On the loop's thread only.
     */
    public void caught(Throwable failure) {
        failures.caught(failure);
    }

    /**
     * A link ends because of this failure. A failed allocation concerns that link alone; but a class that is unusable
     * since the JVM's heap was full would end every further one, and so ends the loop. By whoever has the loop only.
     */
    public void linkFailed(Throwable failure) {
        if (failure instanceof LinkageError) {
            failures.caught(failure);
        }
    }

    /** Sockets, timers and Netty's own tasks. */
    private int sockets(long waitNanos) {
        try {
            return eventLoop.run(waitNanos);
        } catch (Throwable e) {
            if (diedOf != null && e instanceof OutOfMemoryError full) {
                // What is left to be closed is tried again when there is memory.
                throw full;
            }
            failures.repeated("Handling", "sockets", e);
            return 0;
        }
    }

    private void end() {
        new ArrayList<>(resources).forEach(resource -> failures.run(resource::dispose));
        Future<?> terminated = eventLoop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        int work = 1;
        for (int round = 0; round < ENDING_ROUNDS && (work > 0 || !terminated.isDone()); round++) {
            turnEnd.run(failures);
            work = sockets(NOT_AT_ALL) + tasks.run(failures);
        }
        for (Runnable task : tasks.end()) {
            failures.run(task);
        }
        turnEnd.run(failures);
        endSockets();
    }

    private void endSockets() {
        socketsOver = true;
        closeSockets();
    }

    /**
     * A socket that was just opened for this loop. Netty closes what is registered when it ends a loop, but not what
     * comes to be registered in that moment, or is never. Any thread may call.
     *
     * @throws RejectedExecutionException if the loop has ended; the socket is closed then
     */
    public <C extends Channel> C opened(C socket) {
        if (sockets.size() >= sweepAt) {
            // Those that are closed by force before they are registered do not report it.
            sockets.removeIf(each -> !each.isOpen());
            sweepAt = Math.max(FEW_SOCKETS, 2 * sockets.size());
        }
        sockets.add(socket);
        var unused = socket.closeFuture().addListener(closed -> sockets.remove(socket));
        if (socketsOver) {
            closeSockets();
            throw new RejectedExecutionException("the loop " + name() + " has ended");
        }
        return socket;
    }

    private void closeSockets() {
        for (Channel each : List.copyOf(sockets)) {
            if (sockets.remove(each) && each.isOpen()) {
                failures.run(() -> each.unsafe().closeForcibly());
            }
        }
    }

    /** Another thread announces it, as this one can't have ended when it does so itself. */
    private void announceEnd() {
        Thread witness = new Thread(this::awaitEnd, name() + "-ended");
        witness.setDaemon(true);
        try {
            witness.start();
        } catch (OutOfMemoryError e) {
            // No thread can be had: then it is announced a moment too early, which is better than never.
            ended.tryEmitEmpty().orThrow();
        }
    }

    private void awaitEnd() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody else knows this thread", e);
        }
        ended.tryEmitEmpty().orThrow();
    }
}
