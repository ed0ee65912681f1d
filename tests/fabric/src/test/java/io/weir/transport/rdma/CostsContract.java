package io.weir.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a message costs over a wire of a library: what the device is asked to do, copies, memory of the heap, and looks
 * in vain. Counted, as no time means anything on an emulated processor. Both ends live on one loop, so its thread is
 * all that works.
 */
public abstract class CostsContract {

    private static final SlotPlan PLAN = new SlotPlan(32, 40 << 10);
    private static final int WARM_UP = 500;
    private static final int ROUNDS = 1000;
    private static final int LIMIT_SECONDS = 90;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * One end of a connection; {@code join} makes it one where the slots have to be ready before, {@code afterwards}
     * closes what the wire has not.
     */
    public record Half(Domain domain, Wire wire, Runnable join, Runnable afterwards) {

        public Half(Domain domain, Wire wire, Runnable afterwards) {
            this(domain, wire, () -> {}, afterwards);
        }
    }

    private ResourceLeakDetector.Level level = ResourceLeakDetector.Level.PARANOID;
    private final NettyLoop loop = NettyLoop.start("costs", Waiting.FRUGAL, true);
    private @Nullable End near;
    private @Nullable End far;

    /** Two ends of one connection, within this process. */
    protected abstract List<Half> connected(SlotPlan plan);

    /** What it is a connection of. */
    protected abstract String name();

    /** Bytes of the heap that it takes to be called by the library, which some do for each request. */
    protected int perCall() {
        return 0;
    }

    @BeforeEach
    void connect() throws Exception {
        // What keeps the books of buffers takes more memory than all that is counted here.
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        List<Half> halves = connected(PLAN);
        near = call(() -> new End(halves.get(0)));
        far = call(() -> new End(halves.get(1)));
        CompletableFuture<Void> joining =
                CompletableFuture.runAsync(() -> halves.get(0).join().run());
        halves.get(1).join().run();
        var unusedNothing = joining.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        for (End end : List.of(near(), far())) {
            var unused = call(() -> {
                end.begin();
                return true;
            });
        }
    }

    @AfterEach
    void close() throws Exception {
        for (End end : List.of(near(), far())) {
            var unused = call(() -> {
                end.link.close();
                return true;
            });
        }
        for (End end : List.of(near(), far())) {
            var unused = end.freed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        loop.close().block();
        ResourceLeakDetector.setLevel(level);
    }

    private End near() {
        return Objects.requireNonNull(near);
    }

    private End far() {
        return Objects.requireNonNull(far);
    }

    private <T> T call(Callable<T> task) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** One end, which sends back what it gets, or counts it. */
    private final class End implements LinkHandler {

        final CountingWire wire;
        final Half half;
        final LinkMemory memory;
        Link link;
        final CompletableFuture<Boolean> freed = new CompletableFuture<>();
        final Frame frame = new Frame();
        boolean echoes = true;
        int left;
        int inPlace;
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Deque<ByteBuf> bodies = new ArrayDeque<>();

        End(Half half) {
            wire = new CountingWire(half.wire());
            this.half = half;
            memory = LinkMemory.make(half.domain(), PLAN, PLAN, wire.trailerBytes());
            memory.makeReady(wire);
        }

        void begin() {
            RegisteredPool pool = new RegisteredPool(half.domain(), 16 << 20);
            link = new RemoteLink(name(), loop, "the other one", wire, memory, pool, () -> {
                half.afterwards().run();
                freed.complete(true);
            });
            link.handler(this);
        }

        void send(ByteBuf body) {
            if (!link.offer(frame.set(FrameKind.DATA, 0, 1, 0, body))) {
                throw new AssertionError("there is no room for one message at a time");
            }
        }

        @Override
        public void frame(Frame in) {
            ByteBuf body = in.body();
            inPlace += link.takesInPlace(body) ? 1 : 0;
            if (echoes) {
                send(body);
                return;
            }
            body.release();
            if (--left > 0) {
                send(next());
            } else {
                done.complete(true);
            }
        }

        ByteBuf next() {
            return bodies.element().retain();
        }

        @Override
        public void writable() {}

        @Override
        public void lost(WeirException reason) {
            done.completeExceptionally(reason);
        }
    }

    /** Sends this there and back, so many times. */
    private void goToAndFro(ByteBuf body, int rounds) throws Exception {
        End end = near();
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        var unused = call(() -> {
            end.echoes = false;
            end.left = rounds;
            end.done = done;
            end.bodies = new ArrayDeque<>(List.of(body));
            end.send(end.next());
            return true;
        });
        var unusedEither = done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private record Count(long sends, long slots, long reads, long polls, long emptyPolls, long heap) {

        Count since(Count before) {
            return new Count(
                    sends - before.sends,
                    slots - before.slots,
                    reads - before.reads,
                    polls - before.polls,
                    emptyPolls - before.emptyPolls,
                    heap - before.heap);
        }

        String each(int messages) {
            double each = messages;
            return String.format(
                    "%.2f sends, %.2f slots made ready, %.2f reads, %.2f polls of which %.2f in vain, %.0f "
                            + "bytes of the heap",
                    sends / each, slots / each, reads / each, polls / each, emptyPolls / each, heap / each);
        }
    }

    private Count count() throws Exception {
        return call(() -> {
            CountingWire one = near().wire;
            CountingWire other = far().wire;
            return new Count(
                    one.sends + other.sends,
                    one.slots + other.slots,
                    one.reads + other.reads,
                    one.polls + other.polls,
                    one.emptyPolls + other.emptyPolls,
                    THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
        });
    }

    private Count cost(ByteBuf body) throws Exception {
        goToAndFro(body, WARM_UP);
        Count before = count();
        goToAndFro(body, ROUNDS);
        Count cost = count().since(before);
        System.out.printf("%s: a message of %d bytes costs %s%n", name(), body.readableBytes(), cost.each(2 * ROUNDS));
        return cost;
    }

    @Test
    void aShortMessageIsOneRequest() throws Exception {
        ByteBuf body = near().link.allocator().directBuffer(32).writeZero(32);
        Count cost = cost(body);
        assertThat(cost.sends()).isEqualTo(2 * ROUNDS);
        assertThat(cost.slots()).isBetween(2L * ROUNDS - PLAN.slots(), 2L * ROUNDS + PLAN.slots());
        assertThat(cost.reads()).isZero();
        assertThat(cost.heap() / (2 * ROUNDS)).isLessThan(64 + perCall());
        body.release();
    }

    @Test
    void aLongBodyIsReadOnceAndNeverCopied() throws Exception {
        // Short enough to go in a slot: memory that is needed for the first time is registered by another thread, and
        // bodies are copied until then.
        ByteBuf body = near().link.allocator().directBuffer(32 << 10).writeZero(32 << 10);
        assertThat(near().link.takesInPlace(body)).isTrue();
        goToAndFro(body, WARM_UP);
        int before = near().inPlace + far().inPlace;
        Count counted = count();
        goToAndFro(body, ROUNDS);
        Count cost = count().since(counted);
        System.out.printf("%s: a body of 32 KiB costs %s%n", name(), cost.each(2 * ROUNDS));
        assertThat(near().inPlace + far().inPlace - before).isEqualTo(2 * ROUNDS);
        assertThat(cost.reads()).isEqualTo(2 * ROUNDS);
        // The message, what was asked for, what was put, and that it was.
        assertThat(cost.heap() / (2 * ROUNDS)).isLessThan(512 + 4 * perCall());
        body.release();
    }
}
