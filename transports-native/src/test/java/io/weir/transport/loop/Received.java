package io.weir.transport.loop;

import io.weir.core.Frame;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.WeirException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A handler that keeps what it gets for a test to look at. Bodies are copied and released. */
public class Received implements LinkHandler {

    /** A frame as it was; a character stands for each byte of its body. */
    public record Copy(String header, String body) {}

    public final BlockingQueue<Copy> frames = new LinkedBlockingQueue<>();
    public final AtomicInteger writables = new AtomicInteger();
    public final CompletableFuture<WeirException> lost = new CompletableFuture<>();
    private final Loop loop;
    private final AtomicReference<String> broken = new AtomicReference<>();

    public Received(Loop loop) {
        this.loop = loop;
    }

    /** The next frame; fails after half a minute. */
    public Copy next() throws InterruptedException {
        Copy copy = frames.poll(30, TimeUnit.SECONDS);
        if (copy == null) {
            throw new AssertionError("no frame; lost: " + lost);
        }
        check();
        return copy;
    }

    public void check() {
        if (broken.get() != null) {
            throw new AssertionError(broken.get());
        }
    }

    @Override
    public void frame(Frame frame) {
        rules("frame");
        frames.add(new Copy(frame.toString(), frame.body().toString(StandardCharsets.ISO_8859_1)));
        frame.release();
    }

    @Override
    public void writable() {
        rules("writable");
        writables.incrementAndGet();
    }

    @Override
    public void lost(WeirException reason) {
        rules("lost");
        if (!lost.complete(reason)) {
            broken.set("lost() was called twice");
        }
    }

    private void rules(String call) {
        if (!loop.inLoop()) {
            broken.set(call + "() came on " + Thread.currentThread());
        }
        if (lost.isDone()) {
            broken.set(call + "() came after lost()");
        }
    }
}
