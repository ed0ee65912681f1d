package io.weir.simulator;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.Repeat;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** One request and its answer, at both sides. */
final class Question implements CoreSubscriber<Message> {

    /** How it is answered. */
    private enum Way {
        AT_ONCE,
        LATER,
        WITH_NOTHING,
        FAILS,
        FAILS_LATER
    }

    private final Simulation simulation;
    private final Questions of;
    private final int number;
    private final Content request;
    private final Content answer;
    private final Way way;
    /** It loses interest after this time; -1 if it does not. */
    private final long losesInterestAfter;

    private @Nullable Incarnation asker;
    private @Nullable Subscription subscription;
    private boolean answered;
    private boolean ended;
    private boolean cancelled;
    private int heard;
    private @Nullable Throwable error;

    Question(Simulation simulation, Questions of, int number, SplittableRandom chance) {
        this.simulation = simulation;
        this.of = of;
        this.number = number;
        this.request = new Content(simulation.ledger(), chance);
        this.answer = new Content(simulation.ledger(), chance);
        Way[] ways = Way.values();
        this.way = chance.nextBoolean() ? Way.AT_ONCE : ways[chance.nextInt(ways.length)];
        this.losesInterestAfter = chance.nextInt(12) == 0 ? chance.nextLong(3_000_000) : -1;
    }

    void ask(Incarnation here, Peer peer) {
        asker = here;
        Message message = request.message(0, peer.allocator()).with("question", Integer.toString(number));
        peer.ask(Questions.PORT, message).subscribe(this);
        if (losesInterestAfter >= 0) {
            simulation.act(here, losesInterestAfter, () -> {
                if (!ended) {
                    simulation.trace(() -> this + " is no longer of interest");
                    cancelled = true;
                    Objects.requireNonNull(subscription).cancel();
                }
            });
        }
    }

    boolean isAsked() {
        return asker != null;
    }

    boolean isOver() {
        return ended || cancelled;
    }

    // At the side that answers.

    Publisher<Message> heard(Incarnation there, Message message) {
        String wrong = request.wrong(0, message);
        message.release();
        if (wrong != null) {
            simulation.violated(this + " arrives as a message that " + wrong);
        }
        if (++heard > 1) {
            simulation.violated(this + " is heard twice");
        }
        checkRepeat();
        return switch (way) {
            case AT_ONCE -> Mono.just(answer.message(0, UnpooledByteBufAllocator.DEFAULT));
            case WITH_NOTHING -> Mono.empty();
            case FAILS -> Mono.error(new Source.Planned(this));
            case LATER, FAILS_LATER -> later(there);
        };
    }

    private Mono<Message> later(Incarnation there) {
        return Mono.create(sink -> {
            boolean[] unwanted = {false};
            sink.onDispose(() -> unwanted[0] = true);
            simulation.act(there, simulation.upTo(Duration.ofMillis(20)), () -> {
                if (!unwanted[0] && way == Way.LATER) {
                    sink.success(answer.message(0, UnpooledByteBufAllocator.DEFAULT));
                } else if (!unwanted[0]) {
                    sink.error(new Source.Planned(this));
                }
            });
        });
    }

    // At the side that asks.

    @Override
    public void onSubscribe(Subscription its) {
        subscription = its;
        its.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Message message) {
        String wrong = answer.wrong(0, message);
        message.release();
        if (wrong != null) {
            simulation.violated("the answer to " + this + ' ' + wrong);
        }
        if (answered || ended) {
            simulation.violated("an answer to " + this + " comes after its last signal");
        }
        answered = true;
    }

    @Override
    public void onComplete() {
        last();
        if (cancelled) {
            return;
        }
        boolean asPlanned = switch (way) {
            case AT_ONCE, LATER -> answered;
            case WITH_NOTHING -> !answered;
            case FAILS, FAILS_LATER -> false;
        };
        if (!asPlanned || heard != 1) {
            simulation.violated(this + " ends in good order" + (answered ? "" : " without an answer") + ", was heard "
                    + heard + " times, and should be answered " + way);
        }
    }

    @Override
    public void onError(Throwable reason) {
        last();
        error = reason;
        checkRepeat();
        simulation.trace(() -> this + " fails: " + reason);
        boolean planned = reason instanceof RemoteFailure
                && (way == Way.FAILS || way == Way.FAILS_LATER)
                && String.valueOf(reason.getMessage()).contains("planned by " + this);
        boolean over = simulation.excuses().endsSession(reason) || reason instanceof Refused;
        if (!cancelled && !planned && !(over && of.sessionMayEnd())) {
            simulation.violated(this + " has failed for no reason that was planned", reason);
        }
    }

    /** It may cross a cancel that was begun on another thread. */
    private void last() {
        if (ended) {
            simulation.violated(this + " ends twice");
        }
        ended = true;
    }

    /** Who is told that nothing was sent may send it again. */
    private void checkRepeat() {
        if (heard > 0 && error instanceof WeirException reason && reason.repeat() == Repeat.ANY) {
            simulation.violated(this + " was heard, and who asks is told that it was not sent", reason);
        }
    }

    @Override
    public String toString() {
        return "q" + number;
    }
}
