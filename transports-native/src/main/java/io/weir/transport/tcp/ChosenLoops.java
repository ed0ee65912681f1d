package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.weir.core.Loop;
import io.weir.transport.loop.NettyLoop;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks for a loop for each connection that is accepted. Has no loops of its own, so there is nothing to shut down. */
final class ChosenLoops extends AbstractEventExecutorGroup implements IoEventLoopGroup {

    private final Supplier<Loop> loops;
    private final IoEventLoop listening;

    ChosenLoops(Supplier<Loop> loops, NettyLoop listening) {
        this.loops = loops;
        this.listening = listening.eventLoop();
    }

    static NettyLoop netty(Loop loop) {
        if (loop instanceof NettyLoop ours) {
            return ours;
        }
        throw new IllegalArgumentException("the loop " + loop.name() + " was not made by this bootstrap");
    }

    @Override
    public IoEventLoop next() {
        return netty(loops.get()).eventLoop();
    }

    @Override
    @SuppressWarnings("deprecation") // Netty demands it.
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        NettyLoop loop = netty(loops.get());
        // One that is accepted while its loop dies would be open for ever.
        return loop.eventLoop().register(loop.opened(channel), promise);
    }

    @Override
    public Iterator<EventExecutor> iterator() {
        return List.<EventExecutor>of(listening).iterator();
    }

    @Override
    public boolean isShuttingDown() {
        return listening.isShuttingDown();
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        return terminationFuture();
    }

    @Override
    public Future<?> terminationFuture() {
        return listening.terminationFuture();
    }

    @Override
    @SuppressWarnings("deprecation") // Netty demands it.
    public void shutdown() {
        throw new UnsupportedOperationException("loops are closed by who made them");
    }

    @Override
    public boolean isShutdown() {
        return listening.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return listening.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return listening.awaitTermination(timeout, unit);
    }
}
