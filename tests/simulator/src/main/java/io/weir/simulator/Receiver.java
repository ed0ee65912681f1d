package io.weir.simulator;

import io.weir.core.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** Who receives on one side of a talk: asks in a pattern of its own, and checks each signal as it comes. */
final class Receiver implements CoreSubscriber<Message> {

    /** For whom it receives. */
    interface Owner {
        Incarnation incarnation();

        /** What the other side sends. */
        Content expected();

        /** A signal must come on a loop. */
        void onLoop(String who);

        /** Nothing more comes. */
        void receivedAll();

        /** An error has come. */
        void failed(String half, Throwable error);
    }

    /** How it asks. */
    private enum Pattern {
        EVERYTHING,
        ONE_BY_ONE,
        IN_BATCHES,
        LATER
    }

    private final Simulation simulation;
    private final Owner side;
    private final Pattern pattern;
    private final int batch;
    /** So many messages, and it has enough; -1 if it never has. */
    private final int enough;

    private final Duration pause;
    private final boolean keeps;
    private final List<Message> kept = new ArrayList<>();

    private @Nullable Subscription subscription;
    private long demand;
    private int received;
    private boolean cancelled;
    private boolean completed;
    private @Nullable Throwable error;

    Receiver(Simulation simulation, Owner side, SplittableRandom chance) {
        this.simulation = simulation;
        this.side = side;
        this.pattern = Pattern.values()[chance.nextInt(4)];
        this.batch = chance.nextInt(1, 10);
        this.enough = chance.nextInt(8) == 0 ? chance.nextInt(20) : -1;
        this.pause = Pauses.of(chance);
        this.keeps = chance.nextInt(4) == 0;
    }

    long demand() {
        return demand;
    }

    /** How many messages the source may be asked for if so many may come unasked. */
    long demandAnd(long prefetch) {
        return Operators.addCap(demand, prefetch);
    }

    int received() {
        return received;
    }

    boolean isCancelled() {
        return cancelled;
    }

    boolean hasCompleted() {
        return completed;
    }

    @Nullable
    Throwable error() {
        return error;
    }

    /** Has had its last signal, or wants none. */
    boolean isOver() {
        return completed || error != null || cancelled;
    }

    @Override
    public void onSubscribe(Subscription its) {
        if (subscription != null) {
            violated("is given a second subscription");
        }
        subscription = its;
        if (enough == 0) {
            cancel();
            return;
        }
        switch (pattern) {
            case EVERYTHING -> request(Long.MAX_VALUE);
            case ONE_BY_ONE -> request(1);
            case IN_BATCHES -> request(batch);
            case LATER -> requestLater();
        }
    }

    private void request(long n) {
        demand = Operators.addCap(demand, n);
        Objects.requireNonNull(subscription).request(n);
    }

    private void requestLater() {
        simulation.act(side.incarnation(), simulation.upTo(pause), () -> {
            if (!isOver()) {
                request(batch);
            }
        });
    }

    @Override
    public void onNext(Message message) {
        inTurn("a message");
        if (received >= demand) {
            violated("is given more than the " + demand + " messages that it has asked for");
        }
        String wrong = side.expected().wrong(received, message);
        if (wrong != null) {
            violated("is given a message " + received + " that " + wrong);
        }
        received++;
        letGo(message);
        if (received == enough) {
            cancelNowOrLater();
            return;
        }
        switch (pattern) {
            case ONE_BY_ONE -> request(1);
            case IN_BATCHES -> {
                if (received == demand) {
                    request(batch);
                }
            }
            case LATER -> {
                if (received == demand) {
                    requestLater();
                }
            }
            case EVERYTHING -> {}
        }
    }

    private void letGo(Message message) {
        if (!keeps) {
            message.release();
            return;
        }
        kept.add(message);
        simulation.act(side.incarnation(), simulation.upTo(Duration.ofMillis(5)), () -> {
            if (kept.remove(message)) {
                message.release();
            }
        });
    }

    private void cancelNowOrLater() {
        if (simulation.oneIn(2)) {
            cancel();
        } else {
            simulation.act(side.incarnation(), simulation.upTo(Duration.ofMillis(1)), () -> {
                if (!isOver()) {
                    cancel();
                }
            });
        }
    }

    private void cancel() {
        simulation.trace(() -> "the receiver of " + side + " has enough after " + received);
        cancelled = true;
        Objects.requireNonNull(subscription).cancel();
    }

    @Override
    public void onComplete() {
        inTurn("the end");
        completed = true;
        simulation.trace(() -> "the receiver of " + side + " completes after " + received);
        side.receivedAll();
    }

    @Override
    public void onError(Throwable reason) {
        inTurn("an error");
        error = reason;
        simulation.trace(() -> "the receiver of " + side + " fails after " + received + ": " + reason);
        side.failed("the receiver", reason);
    }

    private void inTurn(String signal) {
        if (subscription == null) {
            violated("is given " + signal + " before a subscription");
        }
        if (isOver()) {
            violated("is given " + signal + " after its last signal");
        }
        side.onLoop("the receiver");
    }

    private void violated(String what) {
        simulation.violated("the receiver of " + side + ' ' + what);
    }
}
