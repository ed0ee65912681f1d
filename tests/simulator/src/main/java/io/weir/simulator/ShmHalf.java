package io.weir.simulator;

import io.weir.core.Link;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** One half of a link over shared memory, under a number by which the other half finds it. */
final class ShmHalf implements PendingLink {

    private final Simulation simulation;
    private final SimLoop loop;
    private final long number;
    private final Refusal refusal;
    /** Our end, as soon as one of both has joined the halves. */
    private @Nullable SimLink end;

    private boolean handedOut;
    private boolean closed;

    /** What may be wrong with it. */
    enum Refusal {
        NONE,
        NOT_PREPARED,
        FAILS,
        NEVER_COMPLETES
    }

    ShmHalf(Simulation simulation, SimLoop loop, long number, Refusal refusal) {
        this.simulation = simulation;
        this.loop = loop;
        this.number = number;
        this.refusal = refusal;
    }

    SimLoop loop() {
        return loop;
    }

    @Override
    public byte[] offer() {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        return Mono.create(sink -> {
            switch (refusal) {
                case NONE, NOT_PREPARED -> {
                    if (simulation.oneIn(2)) {
                        join(theirs, sink);
                    } else {
                        sink.onDispose(loop.schedule(
                                () -> join(theirs, sink), Duration.ofNanos(simulation.upTo(Duration.ofMillis(2)))));
                    }
                }
                case FAILS -> sink.error(new PeerUnavailable("shared memory is used up"));
                case NEVER_COMPLETES -> simulation.trace(() -> "a half at " + loop + " never completes");
            }
        });
    }

    private void join(byte[] theirs, MonoSink<Link> sink) {
        ShmHalf other = simulation.network().half(ByteBuffer.wrap(theirs).getLong());
        if (closed || (other == null && end == null)) {
            sink.error(new PeerUnavailable("the other half was given up"));
            return;
        }
        SimLink ours = end;
        if (ours == null && other != null) {
            Wire wire = simulation.network().wire(Shape.shm(simulation.chance()), loop, other.loop);
            ours = wire.first();
            end = ours;
            other.end = wire.second();
        }
        handedOut = true;
        sink.success(ours);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            simulation.network().withdraw(number);
            SimLink ours = end;
            if (ours != null && !handedOut) {
                ours.close();
            }
        }
    }
}
