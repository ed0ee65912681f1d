package io.weir.benchmark;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.Refused;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/**
 * A stream of small messages without end between two nodes of this JVM, over shared memory or TCP, and the gaps between
 * them as who receives them sees them. One thread uses it.
 */
final class MovingStream implements AutoCloseable {

    static final String BEST = "shm";
    static final String NEXT = "tcp";

    private static final int SIZE = 32;
    private static final String PORT = "sink";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(1);

    private final Node far;
    private final Node near;
    private final SingleWriterRecorder gaps = new SingleWriterRecorder(PATIENCE.toNanos(), 3);
    private final Peer peer;
    private final Disposable sending;
    private final AtomicLong received = new AtomicLong();
    /** Of the receiver's loop. */
    private long latest;

    /** @param window messages that may be under way */
    MovingStream(long window) {
        far = start("far", window);
        near = start("near", window);
        far.serve(PORT, channel -> channel.receive().doOnNext(this::arrived).then());
        peer = Objects.requireNonNull(near.connect(far.address()).block(PATIENCE));
        Channel channel = Objects.requireNonNull(peer.channel(PORT).block(PATIENCE));
        byte[] content = new byte[SIZE];
        sending = channel.send(Flux.generate(sink -> sink.next(Message.of(content))))
                .subscribe(nothing -> {}, failure -> {});
    }

    private static Node start(String name, long window) {
        NodeSpec spec = NodeSpec.builder()
                .name(name)
                .order(BEST, NEXT)
                .windowItems(window)
                // A step that fails because others take the processors is not what is looked for.
                .handshakeTimeout(PATIENCE)
                .stepTimeout(PATIENCE)
                .headStart(PATIENCE)
                // It climbs back when it is told to.
                .repathProbation(Duration.ofHours(1))
                .build();
        return Objects.requireNonNull(Node.start(spec).block(PATIENCE));
    }

    private void arrived(Message message) {
        message.release();
        long now = System.nanoTime();
        if (latest != 0) {
            gaps.recordValue(Math.min(now - latest, PATIENCE.toNanos()));
        }
        latest = now;
        received.lazySet(received.getPlain() + 1);
    }

    /** The gaps while this is done and for so long before it and after it. */
    Histogram gaps(Duration around, Runnable action) throws InterruptedException {
        var unused = gaps.getIntervalHistogram();
        TimeUnit.NANOSECONDS.sleep(around.toNanos());
        action.run();
        TimeUnit.NANOSECONDS.sleep(around.toNanos());
        return gaps.getIntervalHistogram();
    }

    /** Breaks shared memory; returns when the stream goes on over TCP. */
    void cut() {
        peer.cut().block(PATIENCE);
        goesOnOver(NEXT);
    }

    /** Goes back to shared memory; returns when the stream goes on there. */
    void climb() {
        // Just after a move the next one is refused.
        var unused = peer.moveTo(BEST)
                .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, LOOK).filter(Refused.class::isInstance))
                .block(PATIENCE);
        goesOnOver(BEST);
    }

    private void goesOnOver(String path) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        long before = -1;
        while (before < 0 || received.get() == before) {
            if (before < 0 && peer.path().chosen().orElseThrow().path().equals(path)) {
                before = received.get();
            }
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("After " + PATIENCE.toSeconds() + " s the stream does not go on over "
                        + path + ": " + peer.path());
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    @Override
    public void close() {
        sending.dispose();
        near.close().then(far.close()).block(PATIENCE);
    }
}
