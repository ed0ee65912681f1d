package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;

class AcceptPauseTest {

    private final OutOfMemoryError full = new OutOfMemoryError("Java heap space");

    private final List<Throwable> reasons = new ArrayList<>();
    private final List<Throwable> caught = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private boolean heapFull;

    private final EmbeddedChannel listener =
            new EmbeddedChannel(new AcceptPause(this::report, this::schedule, caught::add), new Acceptor());

    private void report(Throwable reason) {
        if (heapFull) {
            throw full;
        }
        reasons.add(reason);
    }

    private Disposable schedule(Runnable task, Duration delay) {
        if (heapFull) {
            throw full;
        }
        timers.add(task);
        pauses.add(delay);
        return Disposables.single();
    }

    /** As the last handler of Reactor Netty, and of Netty: stops the listener, and finds no memory for the timer. */
    private final class Acceptor extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object connection) {
            if (connection.equals("too many")) {
                throw full;
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.channel().config().setAutoRead(false);
            throw full;
        }
    }

    private boolean accepts() {
        return listener.config().isAutoRead();
    }

    @Test
    void aListenerThatWasStoppedGoesOnWithoutTheTimerOfTheHandlerBehind() {
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertThat(accepts()).isFalse();
        assertThat(reasons).singleElement().hasToString("java.io.IOException: Too many open files");
        assertThat(caught).isEqualTo(reasons);
        timers.remove(0).run();
        assertThat(accepts()).isTrue();
        assertThat(pauses).singleElement().satisfies(pause -> assertThat(pause).isGreaterThan(Duration.ofSeconds(1)));
    }

    @Test
    void aHandlerBehindThatFailsItselfKeepsItStoppedForAPauseOnly() {
        listener.pipeline().fireChannelRead("too many");
        listener.pipeline().fireChannelReadComplete();
        assertThat(accepts()).isFalse();
        assertThat(reasons).isEmpty();
        timers.remove(0).run();
        assertThat(accepts()).isTrue();
    }

    @Test
    void aPauseHasOneTimer() {
        listener.pipeline().fireChannelRead("too many");
        listener.pipeline().fireChannelReadComplete();
        listener.pipeline().fireChannelReadComplete();
        listener.pipeline().fireExceptionCaught(full);
        assertThat(timers).hasSize(1);
        timers.remove(0).run();
        listener.pipeline().fireChannelRead("too many");
        listener.pipeline().fireChannelReadComplete();
        assertThat(timers).hasSize(1);
    }

    @Test
    void withoutMemoryForATimerItIsReported() {
        heapFull = true;
        listener.pipeline().fireChannelRead("too many");
        listener.pipeline().fireChannelReadComplete();
        assertThat(accepts()).isFalse();
        assertThat(caught).containsExactly(full);
    }

    @Test
    void aFullHeapIsReportedEvenIfThereIsNoMemoryToSayOrDoAnythingElse() {
        heapFull = true;
        listener.pipeline().fireExceptionCaught(full);
        assertThat(accepts()).isFalse();
        assertThat(caught).containsExactly(full, full);
    }

    @Test
    void aListenerThatAcceptsHasNoPause() {
        listener.pipeline().fireChannelRead("welcome");
        listener.pipeline().fireChannelReadComplete();
        assertThat(accepts()).isTrue();
        assertThat(timers).isEmpty();
    }
}
