package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.RegisteredPool;
import io.weir.transport.rdma.RemoteLink;
import io.weir.transport.rdma.SlotPlan;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A link on a loop of its own, over one end of a loopback wire. It keeps the bodies that it receives. */
final class LoopbackEnd implements LinkHandler, AutoCloseable {

    static final SlotPlan PLAN = new SlotPlan(8, 36 << 10);

    final NettyLoop loop = NettyLoop.start("slots", Waiting.FRUGAL, true);
    final LoopbackDomain domain;
    final LoopbackWire wire;
    final Link link;
    final Queue<ByteBuf> received = new ConcurrentLinkedQueue<>();
    final List<WeirException> lost = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Boolean> freed = new CompletableFuture<>();

    LoopbackEnd(LoopbackDomain domain, LoopbackWire wire, long poolBytes) {
        this(domain, wire, poolBytes, true);
    }

    /** @param listens whether it hears what comes from the beginning; else from {@link #listen} on */
    LoopbackEnd(LoopbackDomain domain, LoopbackWire wire, long poolBytes, boolean listens) {
        this.domain = domain;
        this.wire = wire;
        LinkMemory memory = LinkMemory.make(domain, PLAN, PLAN, 0);
        memory.makeReady(wire);
        RegisteredPool pool = new RegisteredPool(domain, poolBytes);
        this.link = call(() ->
                new RemoteLink("loopback", loop, "the other one", wire, memory, pool, () -> freed.complete(true)));
        if (listens) {
            listen();
        }
    }

    void listen() {
        var unused = call(() -> {
            link.handler(this);
            return true;
        });
    }

    <T> T call(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        Await.until("the loop has done it", result::isDone);
        return result.join();
    }

    /** Whether the link has taken this body, which belongs to it then. */
    boolean offer(ByteBuf body) {
        return call(() -> link.offer(new Frame().set(FrameKind.DATA, 0, 1, 0, body)));
    }

    @Override
    public void frame(Frame frame) {
        received.add(frame.body());
    }

    @Override
    public void writable() {}

    @Override
    public void lost(WeirException reason) {
        lost.add(reason);
    }

    /** Closes the link, releases what it has received and waits until everything is given back. */
    @Override
    public void close() {
        var unused = call(() -> {
            link.close();
            return true;
        });
        Await.until("the link is freed", freed::isDone);
        received.forEach(ByteBuf::release);
        Await.end(loop.close());
    }
}
