package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import reactor.core.Disposable;

/**
 * The first handler of a listener. When a connection can't be accepted, Reactor Netty's handlers stop the listener, and
 * a timer of theirs starts it again after a second. Where the heap has no room for that timer, nobody would notice, and
 * the listener would stay stopped; so this has a timer of its own, and reports what it catches. Loop thread only.
 */
final class AcceptPause extends ChannelInboundHandlerAdapter {

    /** Behind the end of Reactor Netty's pause. */
    private static final Duration PAUSE = Duration.ofMillis(1100);

    private final Consumer<Throwable> cantAccept;
    private final BiFunction<Runnable, Duration, Disposable> timer;
    private final Consumer<Throwable> caught;
    private boolean pauses;

    /**
     * Has no listener yet.
     *
     * @param cantAccept called with each reason why a connection can't be accepted
     * @param timer as {@link io.weir.core.Loop#schedule}
     * @param caught called before anything else with what the listener has met, and with the error if there is no
     *     memory for a timer
     */
    AcceptPause(
            Consumer<Throwable> cantAccept,
            BiFunction<Runnable, Duration, Disposable> timer,
            Consumer<Throwable> caught) {
        this.cantAccept = cantAccept;
        this.timer = timer;
        this.caught = caught;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // What follows may not come to its end in a JVM without memory, and Netty says nothing of that.
        caught.accept(cause);
        try {
            cantAccept.accept(cause);
        } finally {
            // Whatever keeps us from saying so: without the pause, it would be tried again and again.
            passOn(context, cause);
        }
    }

    private void passOn(ChannelHandlerContext context, Throwable cause) {
        try {
            context.fireExceptionCaught(cause);
        } finally {
            goOnAfterPause(context.channel());
        }
    }

    /** A handler that fails itself handles that as well, and so has stopped the listener without a word to this one. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        goOnAfterPause(context.channel());
    }

    private void goOnAfterPause(Channel listener) {
        if (pauses || listener.config().isAutoRead()) {
            return;
        }
        try {
            var unused = timer.apply(() -> goOn(listener), PAUSE);
            pauses = true;
        } catch (OutOfMemoryError | LinkageError e) {
            caught.accept(e);
        }
    }

    private void goOn(Channel listener) {
        pauses = false;
        listener.config().setAutoRead(true);
    }
}
