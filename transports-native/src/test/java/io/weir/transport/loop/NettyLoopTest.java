package io.weir.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.weir.core.Pollable;
import io.weir.core.Waiting;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

@Timeout(60)
class NettyLoopTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<NettyLoop> loops = new ArrayList<>();

    private NettyLoop loop(Waiting waiting, boolean onEpoll) {
        NettyLoop loop = NettyLoop.start("test-loop", waiting, onEpoll);
        assertThat(loop.onEpoll()).isEqualTo(onEpoll);
        loops.add(loop);
        return loop;
    }

    private NettyLoop loop() {
        return loop(Waiting.FRUGAL, true);
    }

    static Stream<Arguments> everyKind() {
        return Stream.of(Waiting.values())
                .flatMap(waiting -> Stream.of(Arguments.of(waiting, true), Arguments.of(waiting, false)));
    }

    @AfterEach
    void everyLoopEnds() {
        loops.forEach(loop -> loop.close().block(LONG));
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("test-loop"));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void runsTasksOfOneCallerInOrderOnItsThread(Waiting waiting, boolean onEpoll) {
        NettyLoop loop = loop(waiting, onEpoll);
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            loop.execute(() -> {
                assertThat(loop.inLoop()).isTrue();
                seen.add(number);
            });
        }
        List<Integer> result = OnLoop.get(loop, () -> seen);
        assertThat(result).hasSize(10_000).isSorted();
        assertThat(loop.inLoop()).isFalse();
        assertThat(loop.name()).isEqualTo("test-loop");
    }

    @Test
    void refusesToBlockOnItsThread() {
        assertThatThrownBy(() -> OnLoop.get(
                        loop(), () -> Mono.just(1).hide().delayElement(LONG).block()))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("blocking");
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void firesTimersNotBeforeTheirTime(Waiting waiting, boolean onEpoll) {
        NettyLoop loop = loop(waiting, onEpoll);
        CompletableFuture<Long> fired = new CompletableFuture<>();
        long start = System.nanoTime();
        Disposable timer = loop.schedule(() -> fired.complete(System.nanoTime()), Duration.ofMillis(20));
        assertThat(OnLoop.await(fired) - start).isGreaterThanOrEqualTo(20_000_000);
        assertThat(OnLoop.get(loop, timer::isDisposed)).isTrue();
    }

    @Test
    void firesNoTimerThatWasDisposedOf() {
        NettyLoop loop = loop();
        AtomicInteger fired = new AtomicInteger();
        // In one step of the loop: whatever else the machine does, the timer can't come in between.
        Disposable timer = OnLoop.get(loop, () -> {
            Disposable disposed = loop.schedule(fired::incrementAndGet, Duration.ofMillis(30));
            disposed.dispose();
            return disposed;
        });
        assertThat(timer.isDisposed()).isTrue();
        CountDownLatch later = new CountDownLatch(1);
        Disposable unused = loop.schedule(later::countDown, Duration.ofMillis(60));
        OnLoop.await(later);
        assertThat(fired).hasValue(0);
    }

    @Test
    void takesTimersOfAnyLength() {
        NettyLoop loop = loop();
        Disposable farAway = loop.schedule(() -> {}, Duration.ofSeconds(Long.MAX_VALUE));
        CountDownLatch atOnce = new CountDownLatch(1);
        Disposable unused = loop.schedule(atOnce::countDown, Duration.ofSeconds(-5));
        OnLoop.await(atOnce);
        assertThat(farAway.isDisposed()).isFalse();
        farAway.dispose();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firesTimersAndRunsTasksAndHandlesSocketsWhilePollablesAreBusy(boolean onEpoll) {
        NettyLoop loop = loop(Waiting.BALANCED, onEpoll);
        Probe busy = new Probe();
        busy.work = 1;
        OnLoop.run(loop, () -> loop.add(busy));
        CountDownLatch all = new CountDownLatch(3);
        Disposable unused = loop.schedule(all::countDown, Duration.ofMillis(1));
        loop.execute(all::countDown);
        loop.eventLoop().execute(all::countDown);
        OnLoop.await(all);
        assertThat(OnLoop.get(loop, () -> busy.asleep)).isZero();
        OnLoop.run(loop, () -> loop.remove(busy));
    }

    @Test
    void runsHooksBeforeItPollsAgainHoweverTheyCame() {
        NettyLoop loop = loop(Waiting.BALANCED, true);
        List<String> events = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(2);
        Probe probe = new Probe() {
            @Override
            public int poll() {
                events.add("poll");
                return 0;
            }
        };
        OnLoop.run(loop, () -> {
            loop.add(probe);
            loop.atTurnEnd(() -> {
                events.add("hook");
                loop.atTurnEnd(() -> events.add("hook of hook"));
            });
            events.add("task");
        });
        loop.eventLoop().execute(() -> {
            events.add("netty task");
            loop.atTurnEnd(() -> {
                events.add("hook of netty");
                done.countDown();
            });
        });
        Disposable unused = loop.schedule(
                () -> {
                    events.add("timer");
                    loop.atTurnEnd(() -> {
                        events.add("hook of timer");
                        done.countDown();
                    });
                },
                Duration.ofMillis(5));
        OnLoop.await(done);
        OnLoop.run(loop, () -> loop.remove(probe));
        assertThat(events)
                .containsSubsequence("task", "hook", "hook of hook", "poll")
                .containsSequence("hook", "hook of hook");
        assertNoPollBetween(events, "task", "hook of hook");
        assertNoPollBetween(events, "netty task", "hook of netty");
        assertNoPollBetween(events, "timer", "hook of timer");
    }

    private static void assertNoPollBetween(List<String> events, String first, String second) {
        assertThat(events.subList(events.indexOf(first), events.indexOf(second)))
                .doesNotContain("poll");
    }

    @Test
    void anAddedPollableIsPolledUntilItIsRemoved() {
        NettyLoop loop = loop(Waiting.LATENCY, true);
        Probe probe = new Probe();
        CountDownLatch polled = new CountDownLatch(100);
        probe.onPoll = polled::countDown;
        OnLoop.run(loop, () -> loop.add(probe));
        OnLoop.await(polled);
        int polls = OnLoop.get(loop, () -> {
            loop.remove(probe);
            return probe.polls;
        });
        assertThat(OnLoop.get(loop, () -> probe.polls)).isEqualTo(polls);
        assertThat(OnLoop.get(loop, () -> probe.asleep)).isZero();
    }

    @Test
    void aPollableMayRemoveAnotherAndItselfAndAddOneDuringATurn() {
        NettyLoop loop = loop(Waiting.LATENCY, true);
        Probe second = new Probe();
        Probe third = new Probe();
        CountDownLatch thirdPolled = new CountDownLatch(2);
        third.onPoll = thirdPolled::countDown;
        Probe first = new Probe();
        first.onPoll = () -> {
            loop.remove(second);
            loop.remove(first);
            loop.add(third);
        };
        OnLoop.run(loop, () -> {
            loop.add(first);
            loop.add(second);
        });
        OnLoop.await(thirdPolled);
        OnLoop.run(loop, () -> {
            assertThat(first.polls).isEqualTo(1);
            assertThat(second.polls).isZero();
            loop.remove(third);
            loop.remove(third);
        });
    }

    @Test
    void thePollableThatSaysThereIsWorkKeepsTheLoopAwake() {
        NettyLoop loop = loop(Waiting.FRUGAL, true);
        Probe probe = new Probe();
        probe.mayRest = false;
        CountDownLatch asked = new CountDownLatch(50);
        probe.onAsleep = asked::countDown;
        OnLoop.run(loop, () -> loop.add(probe));
        OnLoop.await(asked);
        OnLoop.run(loop, () -> {
            assertThat(probe.awake).isEqualTo(probe.asleep);
            assertThat(probe.polls).isGreaterThanOrEqualTo(probe.asleep);
            loop.remove(probe);
        });
    }

    @Test
    void tellsAPollableThatIsRemovedInItsSleepThatItIsAwake() {
        NettyLoop loop = loop(Waiting.FRUGAL, true);
        Probe probe = new Probe();
        CountDownLatch resting = new CountDownLatch(1);
        probe.onAsleep = resting::countDown;
        OnLoop.run(loop, () -> loop.add(probe));
        OnLoop.await(resting);
        // Netty's tasks run within the sleep.
        CompletableFuture<Integer> awake = new CompletableFuture<>();
        loop.eventLoop().execute(() -> {
            loop.remove(probe);
            awake.complete(probe.asleep - probe.awake);
        });
        assertThat(OnLoop.await(awake)).isZero();
        assertThat(OnLoop.get(loop, () -> probe.asleep - probe.awake)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anIdleLoopUsesNoProcessor(boolean onEpoll) {
        NettyLoop loop = loop(Waiting.BALANCED, onEpoll);
        Probe probe = new Probe();
        CountDownLatch resting = new CountDownLatch(1);
        probe.onAsleep = resting::countDown;
        OnLoop.run(loop, () -> loop.add(probe));
        OnLoop.await(resting);
        // Something must happen at all, so that the count can be read; timers are the only thing that does. The first
        // one, as whoever else wakes a loop may do so more than once.
        CompletableFuture<Integer> sleeps = new CompletableFuture<>();
        Disposable unused = loop.schedule(
                () -> {
                    int before = probe.asleep;
                    Disposable unusedToo =
                            loop.schedule(() -> sleeps.complete(probe.asleep - before), Duration.ofMillis(300));
                },
                Duration.ofMillis(50));
        assertThat(OnLoop.await(sleeps))
                .as("how often it fell asleep, so how often it woke, in 300 ms")
                .isLessThanOrEqualTo(4);
        OnLoop.run(loop, () -> loop.remove(probe));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void noWakeUpIsLost(Waiting waiting, boolean onEpoll) throws Exception {
        NettyLoop loop = loop(waiting, onEpoll);
        int threads = 4;
        int rounds = 5_000;
        AtomicInteger count = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(threads);
        List<Thread> callers = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < threads; i++) {
            Thread caller = new Thread(() -> {
                try {
                    for (int round = 0; round < rounds; round++) {
                        if (round % 64 == 0) {
                            together.await(30, TimeUnit.SECONDS);
                        }
                        // Waiting for each lets the loop fall asleep again and again; a lost wake-up ends in the
                        // time-out.
                        CountDownLatch ran = new CountDownLatch(1);
                        loop.execute(() -> {
                            count.incrementAndGet();
                            ran.countDown();
                        });
                        OnLoop.await(ran);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            callers.add(caller);
            caller.start();
        }
        for (Thread caller : callers) {
            caller.join(50_000);
        }
        assertThat(failure.get()).isNull();
        assertThat(count).hasValue(threads * rounds);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tasksTimersHooksPollablesAndSocketsThatFailDoNotEndTheLoop(boolean onEpoll) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(NettyLoop.class);
        logger.addAppender(log);
        logger.setAdditive(false);
        try {
            NettyLoop loop = loop(Waiting.FRUGAL, onEpoll);
            loop.execute(() -> {
                throw new IllegalStateException("a task");
            });
            loop.execute(() -> {
                throw new StackOverflowError("a deep task");
            });
            loop.execute(() -> loop.atTurnEnd(() -> {
                throw new IllegalStateException("a hook");
            }));
            loop.execute(() -> {
                throw new OutOfMemoryError("a large task");
            });
            CountDownLatch timer = new CountDownLatch(1);
            Disposable unused = loop.schedule(
                    () -> {
                        timer.countDown();
                        throw new IllegalStateException("a timer");
                    },
                    Duration.ofMillis(1));
            OnLoop.await(timer);
            Probe broken = new Probe();
            CountDownLatch polls = new CountDownLatch(1_000);
            broken.onPoll = () -> {
                polls.countDown();
                throw new IllegalStateException("a poll");
            };
            broken.mayRest = false;
            OnLoop.run(loop, () -> loop.add(broken));
            OnLoop.await(polls);
            OnLoop.run(loop, () -> loop.remove(broken));
            List<ILoggingEvent> lines = OnLoop.get(loop, () -> List.copyOf(log.list));
            assertThat(lines.stream().map(line -> line.getThrowableProxy().getMessage()))
                    .contains("a task", "a deep task", "a hook", "a large task", "a timer", "a poll")
                    .hasSizeLessThan(100);
            assertThat(lines)
                    .allSatisfy(line -> assertThat(line.getFormattedMessage()).contains("test-loop"));
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(log);
        }
    }

    @Test
    void watchesADescriptorFromAnyWaitingAndLeavesItOpen() throws Exception {
        for (Waiting waiting : Waiting.values()) {
            NettyLoop loop = loop(waiting, true);
            FileDescriptor[] pipe = FileDescriptor.pipe();
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            ByteBuffer into = ByteBuffer.allocateDirect(1);
            AtomicInteger readable = new AtomicInteger();
            AtomicReference<CountDownLatch> next = new AtomicReference<>(new CountDownLatch(1));
            Disposable watch = OnLoop.get(
                    loop,
                    () -> loop.watch(pipe[0].intValue(), () -> {
                        try {
                            into.clear();
                            if (pipe[0].read(into, 0, 1) == 1) {
                                readable.incrementAndGet();
                                next.get().countDown();
                            }
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        if (readable.get() == 1) {
                            throw new IllegalStateException("expected: a watcher that fails is called again");
                        }
                    }));
            for (int i = 0; i < 100; i++) {
                next.set(new CountDownLatch(1));
                assertThat(pipe[1].write(one, 0, 1)).isEqualTo(1);
                OnLoop.await(next.get());
            }
            assertThat(readable).hasValue(100);
            OnLoop.run(loop, watch::dispose);
            OnLoop.run(loop, watch::dispose);
            assertThat(watch.isDisposed()).isTrue();
            assertThat(pipe[1].write(one, 0, 1)).isEqualTo(1);
            OnLoop.run(loop, () -> {});
            assertThat(readable).hasValue(100);
            assertThat(pipe[0].read(into, 0, 1)).as("still there").isEqualTo(1);
            pipe[0].close();
            pipe[1].close();
        }
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void whoHasBorrowedTheLoopIsTheLoop(Waiting waiting) throws Exception {
        NettyLoop loop = loop(waiting, true);
        FileDescriptor[] pipe = FileDescriptor.pipe();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch both = new CountDownLatch(2);
        OnLoop.run(loop, () -> {
            var unused = loop.watch(pipe[0].intValue(), () -> {
                assertThat(loop.inLoop()).isTrue();
                order.add("event");
                both.countDown();
            });
        });
        OnLoop.borrow(loop);
        assertThat(loop.inLoop()).isTrue();
        assertThat(loop.tryBorrow()).isFalse();

        assertThat(pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1)).isEqualTo(1);
        OnLoop.until(loop::isWanted);
        loop.execute(() -> {
            assertThat(Thread.currentThread().getName()).isEqualTo("test-loop");
            order.add("task");
            both.countDown();
        });
        loop.atTurnEnd(() -> order.add("end of turn"));
        assertThat(order).isEmpty();
        loop.endTurn();
        order.add("given back");
        loop.giveBack(false);

        assertThat(loop.inLoop()).isFalse();
        OnLoop.await(both);
        assertThat(order).startsWith("end of turn", "given back").hasSize(4).contains("event", "task");
        pipe[0].close();
        pipe[1].close();
    }

    @Test
    void timersWaitForWhoHasBorrowedTheLoop() {
        NettyLoop loop = loop();
        CountDownLatch timer = new CountDownLatch(1);
        OnLoop.borrow(loop);
        var unused = loop.schedule(timer::countDown, Duration.ofMillis(1));
        OnLoop.until(loop::isWanted);
        assertThat(timer.getCount()).isEqualTo(1);
        loop.giveBack(false);
        OnLoop.await(timer);
    }

    @Test
    void aRecalledLoopLooksAtWhatItPolls() {
        NettyLoop loop = loop(Waiting.FRUGAL, true);
        AtomicInteger polled = new AtomicInteger();
        AtomicInteger work = new AtomicInteger();
        OnLoop.run(
                loop,
                () -> loop.add(new Pollable() {
                    @Override
                    public int poll() {
                        if (work.getAndSet(0) != 0) {
                            polled.incrementAndGet();
                        }
                        return 0;
                    }

                    @Override
                    public boolean asleep() {
                        return work.get() == 0;
                    }

                    @Override
                    public void awake() {}
                }));
        // Often in the moment in which it is just about to sleep.
        for (int round = 1; round <= 5_000; round++) {
            int expected = round;
            OnLoop.borrow(loop);
            work.set(1);
            loop.giveBack(true);
            OnLoop.until(() -> polled.get() == expected);
        }
    }

    @Test
    void theLoopsOwnThreadGoesFirst() {
        NettyLoop loop = loop();
        for (int round = 0; round < 100; round++) {
            CountDownLatch ran = new CountDownLatch(1);
            OnLoop.borrow(loop);
            loop.execute(ran::countDown);
            OnLoop.until(loop::isWanted);
            loop.giveBack(false);
            OnLoop.borrow(loop);
            assertThat(ran.getCount()).isZero();
            loop.giveBack(false);
        }
    }

    @Test
    void noBusyLoopNorOneWithoutEpollNorOneThatHasEndedIsLent() {
        NettyLoop loop = loop();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        loop.execute(() -> {
            begun.countDown();
            OnLoop.await(go);
        });
        OnLoop.await(begun);
        assertThat(loop.tryBorrow()).isFalse();
        assertThat(loop.inLoop()).isFalse();
        go.countDown();
        loop.close().block(LONG);
        assertThat(loop.tryBorrow()).isFalse();

        NettyLoop other = loop(Waiting.FRUGAL, false);
        OnLoop.run(other, () -> {});
        assertThat(other.tryBorrow()).isFalse();
    }

    @Test
    void aWatchThatStandsWhenTheLoopEndsLeavesItsDescriptorOpen() throws Exception {
        NettyLoop loop = loop();
        FileDescriptor[] pipe = FileDescriptor.pipe();
        Disposable watch = OnLoop.get(loop, () -> loop.watch(pipe[0].intValue(), () -> {}));
        loop.close().block(LONG);
        assertThat(watch.isDisposed()).isTrue();
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        assertThat(pipe[1].write(one, 0, 1)).isEqualTo(1);
        assertThat(pipe[0].read(ByteBuffer.allocateDirect(1), 0, 1)).isEqualTo(1);
        pipe[0].close();
        pipe[1].close();
    }

    @Test
    void saysWhyADescriptorCannotBeWatched() {
        assertThatThrownBy(() -> OnLoop.get(
                        loop(Waiting.FRUGAL, false), () -> loops.get(0).watch(0, () -> {})))
                .hasRootCauseInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("epoll")
                .hasMessageContaining("weir.native");
        assertThatThrownBy(() -> OnLoop.get(loop(), () -> loops.get(1).watch(1_000_000, () -> {})))
                .hasMessageContaining("1000000")
                .hasMessageContaining("Bad file descriptor");
    }

    /** Netty ends only those that are registered. */
    @Test
    void noSocketOutlivesIt() {
        NettyLoop loop = loop();
        NioSocketChannel early = loop.opened(new NioSocketChannel());
        NioSocketChannel late = new NioSocketChannel();

        loop.close().block(LONG);

        assertThat(early.isOpen()).isFalse();
        assertThatThrownBy(() -> loop.opened(late)).isInstanceOf(RejectedExecutionException.class);
        assertThat(late.isOpen()).isFalse();
    }

    /** And not when others come. */
    @Test
    void aSocketIsForgottenWhenItIsClosed() {
        NettyLoop loop = loop(Waiting.FRUGAL, false);
        WeakReference<NioSocketChannel> closed = openedAndClosed(loop);
        long end = System.nanoTime() + LONG.toNanos();
        while (closed.get() != null) {
            assertThat(System.nanoTime()).as("the socket is still held").isLessThan(end);
            // The JDK's selector lets it go when it looks for the next time.
            loop.execute(() -> {});
            System.gc();
        }
    }

    private static WeakReference<NioSocketChannel> openedAndClosed(NettyLoop loop) {
        NioSocketChannel socket = loop.opened(new NioSocketChannel());
        EventLoop netty = loop.eventLoop();
        netty.register(socket).syncUninterruptibly();
        socket.close().syncUninterruptibly();
        return new WeakReference<>(socket);
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void closingRunsWhatIsQueuedThenEndsTheThread(Waiting waiting) {
        NettyLoop loop = loop(waiting, true);
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger disposed = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        loop.execute(() -> {
            thread.set(Thread.currentThread());
            loop.closeAtEnd(disposed::incrementAndGet);
            Disposable forgotten = () -> disposed.addAndGet(100);
            loop.closeAtEnd(forgotten);
            loop.forget(forgotten);
            OnLoop.await(go);
        });
        for (int i = 0; i < 1_000; i++) {
            loop.execute(ran::incrementAndGet);
        }
        loop.execute(() -> loop.execute(ran::incrementAndGet));
        loop.execute(() -> loop.atTurnEnd(ran::incrementAndGet));
        Mono<Void> closed = loop.close();
        go.countDown();
        closed.block(LONG);
        assertThat(thread.get().isAlive()).isFalse();
        assertThat(ran).hasValue(1_002);
        assertThat(disposed).hasValue(1);
        assertThat(loop.eventLoop().isTerminated()).isTrue();
        assertThatThrownBy(() -> loop.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("test-loop");
        assertThatThrownBy(() -> loop.schedule(() -> {}, Duration.ZERO)).isInstanceOf(RejectedExecutionException.class);
        loop.close().block(LONG);
    }

    @Test
    void closesFromItsOwnThread() {
        NettyLoop loop = loop();
        Mono<Void> closed = OnLoop.get(loop, loop::close);
        closed.block(LONG);
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void aTaskThatRacesWithTheEndIsRunOrRefused() throws Exception {
        for (int round = 0; round < 200; round++) {
            NettyLoop loop = NettyLoop.start("test-loop", Waiting.FRUGAL, false);
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            CyclicBarrier together = new CyclicBarrier(3);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread caller = new Thread(() -> {
                    try {
                        together.await(30, TimeUnit.SECONDS);
                        while (true) {
                            loop.execute(ran::incrementAndGet);
                            accepted.incrementAndGet();
                        }
                    } catch (RejectedExecutionException e) {
                        // The end.
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                callers.add(caller);
                caller.start();
            }
            together.await(30, TimeUnit.SECONDS);
            loop.close().block(LONG);
            for (Thread caller : callers) {
                caller.join(30_000);
                assertThat(caller.isAlive()).isFalse();
            }
            assertThat(ran).hasValue(accepted.get());
        }
    }

    @Test
    void receiveBuffersBelongToTheLoopsThread() {
        NettyLoop loop = loop();
        assertThat(OnLoop.get(loop, () -> {
                    loop.buffers().take(100).release();
                    return loop.buffers().outstanding();
                }))
                .isZero();
    }

    /** Plain fields: everything happens on the loop. */
    private static class Probe implements Pollable {
        int polls;
        int asleep;
        int awake;
        int work;
        boolean mayRest = true;
        Runnable onPoll = () -> {};
        Runnable onAsleep = () -> {};

        @Override
        public int poll() {
            polls++;
            onPoll.run();
            return work;
        }

        @Override
        public boolean asleep() {
            asleep++;
            onAsleep.run();
            return mayRest;
        }

        @Override
        public void awake() {
            awake++;
        }
    }

    @Test
    void aLoopThatDiesSaysOfWhatAndTakesNothingMore() {
        NettyLoop loop = NettyLoop.start("doomed", Waiting.BALANCED, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        AtomicInteger disposed = new AtomicInteger();
        OnLoop.run(loop, () -> {
            loop.closeAtEnd(disposed::incrementAndGet);
            loop.add(new Probe() {
                @Override
                public int poll() {
                    throw new UnknownError("of a test");
                }
            });
        });
        assertThat(OnLoop.await(death)).isNotNull();
        loop.close().block(Duration.ofSeconds(30));
        assertThat(disposed).hasValue(1);
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    private enum Place {
        TASK,
        TIMER,
        HOOK,
        POLL,
        /** Netty throws away what its tasks and handlers throw. */
        NETTY
    }

    private static void put(Runnable step, NettyLoop loop, Place place) {
        switch (place) {
            case TASK -> loop.execute(step);
            case TIMER -> {
                Disposable unused = loop.schedule(step, Duration.ofMillis(1));
            }
            case HOOK -> loop.execute(() -> loop.atTurnEnd(step));
            case POLL ->
                loop.execute(() -> loop.add(new Probe() {
                    @Override
                    public int poll() {
                        step.run();
                        return 0;
                    }
                }));
            case NETTY ->
                loop.eventLoop().execute(() -> {
                    try {
                        step.run();
                    } catch (OutOfMemoryError failure) {
                        loop.caught(failure);
                    }
                });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFullHeapEndsTheLoopWhereverItIsMetAndWhatHasComeIsRun(Place place) {
        NettyLoop loop = NettyLoop.start("starved", Waiting.BALANCED, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        AtomicInteger disposed = new AtomicInteger();
        AtomicInteger run = new AtomicInteger();
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        CountDownLatch go = new CountDownLatch(1);
        loop.execute(() -> {
            loop.closeAtEnd(disposed::incrementAndGet);
            OnLoop.await(go);
        });
        put(
                () -> {
                    throw full;
                },
                loop,
                place);
        loop.execute(run::incrementAndGet);
        go.countDown();
        assertThat(OnLoop.await(death)).isSameAs(full);
        loop.close().block(Duration.ofSeconds(30));
        // More than once, if its end were tried again because of what ended it.
        assertThat(disposed).hasValue(1);
        assertThat(run).hasValue(1);
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void aFullHeapThatABorrowerMeetsEndsTheLoopWhenItIsGivenBack() {
        NettyLoop loop = NettyLoop.start("lent", Waiting.FRUGAL, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        OnLoop.borrow(loop);
        loop.atTurnEnd(() -> {
            throw full;
        });
        assertThatThrownBy(loop::endTurn).isInstanceOf(IllegalStateException.class);
        assertThat(death).isNotDone();
        loop.giveBack(false);
        assertThat(OnLoop.await(death)).isSameAs(full);
        loop.close().block(Duration.ofSeconds(30));
    }

    private static final class Speechless extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("there is no message");
        }
    }

    @Test
    void anExceptionThatFailsItselfEndsNoLoop() {
        NettyLoop loop = loop(Waiting.BALANCED, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        loop.execute(() -> {
            throw new Speechless();
        });
        OnLoop.run(
                loop,
                () -> loop.atTurnEnd(() -> {
                    throw new Speechless();
                }));
        OnLoop.run(loop, () -> {});
        OnLoop.run(loop, () -> {});
        assertThat(death).isNotDone();
    }

    private static final class NeededWhenTheHeapWasFull {

        static final int VALUE = value();

        private static int value() {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    private static final class NeverUsable {

        static final int VALUE = value();

        private static int value() {
            throw new IllegalStateException("there is heap space");
        }
    }

    @Test
    void aClassThatIsUnusableSinceTheHeapWasFullEndsTheLoopAnyOtherDoesNot() {
        assertThatThrownBy(() -> System.out.println(NeededWhenTheHeapWasFull.VALUE))
                .isInstanceOf(Error.class);
        assertThatThrownBy(() -> System.out.println(NeverUsable.VALUE)).isInstanceOf(LinkageError.class);
        NettyLoop loop = NettyLoop.start("bereft", Waiting.BALANCED, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        loop.execute(() -> System.out.println(NeverUsable.VALUE));
        loop.execute(() -> loop.linkFailed(new OutOfMemoryError("Java heap space")));
        OnLoop.run(loop, () -> {});
        loop.execute(() -> {
            try {
                System.out.println(NeededWhenTheHeapWasFull.VALUE);
            } catch (LinkageError failure) {
                loop.linkFailed(failure);
            }
        });
        assertThat(OnLoop.await(death))
                .isInstanceOf(NoClassDefFoundError.class)
                .hasMessageContaining("NeededWhenTheHeapWasFull");
        loop.close().block(Duration.ofSeconds(30));
    }

    @Test
    void aLoopThatIsClosedHasNotDied() {
        NettyLoop loop = NettyLoop.start("mortal", Waiting.BALANCED, true);
        CompletableFuture<Throwable> death = loop.died().toFuture();
        loop.close().block(Duration.ofSeconds(30));
        assertThat(death).isNotDone();
    }
}
