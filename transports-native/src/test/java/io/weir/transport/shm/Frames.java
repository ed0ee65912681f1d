package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LinkHandler;
import io.weir.core.WeirException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A receiver that hands everything to the test's thread, which owns the bodies then. */
class Frames implements LinkHandler {

    /** A frame that has come. */
    record Got(
            FrameKind kind, int flags, int channel, int aux, long first, long second, ByteBuf control, ByteBuf body) {}

    private static final Object WRITABLE = "writable";

    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    /** Called on the loop with each event instead of queueing it, if set there. */
    volatile Consumer<Frame> onFrame;

    volatile Runnable onWritable;

    @Override
    public void frame(Frame frame) {
        Consumer<Frame> to = onFrame;
        if (to != null) {
            to.accept(frame);
        } else {
            events.add(new Got(
                    frame.kind(),
                    frame.flags(),
                    frame.channel(),
                    frame.aux(),
                    frame.first(),
                    frame.second(),
                    Unpooled.wrappedBuffer(frame.control()),
                    frame.body()));
        }
    }

    @Override
    public void writable() {
        Runnable to = onWritable;
        if (to != null) {
            to.run();
        } else {
            events.add(WRITABLE);
        }
    }

    @Override
    public void lost(WeirException reason) {
        events.add(reason);
    }

    Got nextFrame() {
        return (Got) next();
    }

    void expectWritable() {
        assertThat(next()).isSameAs(WRITABLE);
    }

    <T extends WeirException> T nextLost(Class<T> type) {
        Object event = next();
        assertThat(event).isInstanceOf(type);
        return type.cast(event);
    }

    /** Releases the frames that come before the end. */
    void skipUntilLost() {
        Object event = next();
        while (!(event instanceof WeirException)) {
            if (event instanceof Got got) {
                got.body().release();
            }
            event = next();
        }
        events.add(event);
    }

    void expectNothing() {
        assertThat(events).isEmpty();
    }

    private Object next() {
        try {
            Object event = events.poll(30, TimeUnit.SECONDS);
            assertThat(event).as("something within half a minute").isNotNull();
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
