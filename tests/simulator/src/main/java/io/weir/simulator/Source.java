package io.weir.simulator;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Message;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * What one side of a talk sends: messages by the number, on the thread that asks for them or on one of its own, then
 * the end or an error. Knows what it has been asked for.
 */
final class Source implements Publisher<Message>, Subscription {

    /** Who sends what comes of it. */
    interface Owner {
        Incarnation incarnation();

        ByteBufAllocator allocator();

        /** How many messages the source may be asked for. */
        long entitled();
    }

    private final Simulation simulation;
    private final Owner side;
    private final Content content;
    private final int count;
    private final boolean fails;
    /** Emits on a thread of its own, after a while. */
    private final boolean elsewhere;

    /** How long that takes at most. */
    private final Duration pause;

    private final boolean ofLink;

    private @Nullable Subscriber<? super Message> subscriber;
    private long requested;
    private int emitted;
    private boolean emitting;
    private boolean due;
    private boolean cancelled;
    private boolean ended;

    Source(Simulation simulation, Owner side, SplittableRandom chance) {
        this.simulation = simulation;
        this.side = side;
        this.content = new Content(simulation.ledger(), chance);
        this.count = chance.nextInt(4) == 0 ? chance.nextInt(3) : chance.nextInt(1, 40);
        this.fails = chance.nextInt(10) == 0;
        this.elsewhere = chance.nextInt(3) == 0;
        this.pause = Pauses.of(chance);
        this.ofLink = chance.nextBoolean();
    }

    Content content() {
        return content;
    }

    int emitted() {
        return emitted;
    }

    /** Everything was emitted, and the end was told. */
    boolean hasCompleted() {
        return ended && !fails;
    }

    boolean hasFailed() {
        return ended && fails;
    }

    /** Nothing comes of it any more. */
    boolean isOver() {
        return ended || cancelled;
    }

    boolean isAsked() {
        return subscriber != null;
    }

    @Override
    public void subscribe(Subscriber<? super Message> its) {
        if (subscriber != null) {
            simulation.violated("the source of " + side + " is subscribed to twice");
        }
        subscriber = its;
        its.onSubscribe(this);
        if (count == 0) {
            emitSoon();
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            simulation.violated("the source of " + side + " is asked for " + n);
        }
        requested = Operators.addCap(requested, n);
        long entitled = side.entitled();
        if (requested > entitled) {
            simulation.violated("the source of " + side + " is asked for " + requested + " messages, though only "
                    + entitled + " are wanted");
        }
        emitSoon();
    }

    private void emitSoon() {
        if (!elsewhere) {
            emit(Integer.MAX_VALUE);
        } else if (!due) {
            due = true;
            simulation.act(side.incarnation(), simulation.upTo(pause), () -> {
                due = false;
                emit(simulation.chance().nextInt(1, 8));
                if (!isOver() && emitted < Math.min(requested, count)) {
                    emitSoon();
                }
            });
        }
    }

    private void emit(int most) {
        if (emitting) {
            return;
        }
        emitting = true;
        Subscriber<? super Message> to = Objects.requireNonNull(subscriber);
        for (int i = 0; i < most && emitted < Math.min(requested, count) && !isOver(); i++) {
            to.onNext(content.message(emitted++, ofLink ? side.allocator() : UnpooledByteBufAllocator.DEFAULT));
        }
        emitting = false;
        if (emitted == count && !isOver()) {
            ended = true;
            simulation.trace(() -> "the source of " + side + (fails ? " fails" : " completes") + " after " + emitted);
            if (fails) {
                to.onError(new Planned(side));
            } else {
                to.onComplete();
            }
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    /** An error that a schedule wants. Its text crosses the wire. */
    static final class Planned extends RuntimeException {

        private static final long serialVersionUID = 1;

        Planned(Object who) {
            super("planned by " + who, null, false, false);
        }
    }
}
