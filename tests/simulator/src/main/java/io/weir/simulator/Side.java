package io.weir.simulator;

import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Channel;
import io.weir.core.RemoteFailure;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One side of a talk: what it sends and receives over its channel, and what it may see of the other side. */
final class Side implements Source.Owner, Receiver.Owner {

    private final Simulation simulation;
    private final Talk talk;
    private final String name;
    private final Source source;
    private final Receiver receiver;
    private final boolean wantsDelivery;
    private final long sendsAfter;
    private final long receivesAfter;
    /** It gives up sending after this time; -1 if it does not. */
    private final long leavesAfter;
    /** It closes the channel after this time; -1 if it does not. */
    private final long closesAfter;

    private final Sinks.Empty<Void> over = Sinks.empty();

    private @Nullable Incarnation incarnation;
    private @Nullable Channel channel;
    private boolean sent;
    private boolean left;
    private boolean closed;
    private @Nullable Throwable sendError;

    Side(Simulation simulation, Talk talk, String name, SplittableRandom chance) {
        this.simulation = simulation;
        this.talk = talk;
        this.name = name;
        this.source = new Source(simulation, this, chance.split());
        this.receiver = new Receiver(simulation, this, chance.split());
        this.wantsDelivery = chance.nextInt(3) == 0;
        this.sendsAfter = someTime(chance, 2, 2_000_000);
        this.receivesAfter = someTime(chance, 2, 5_000_000);
        this.leavesAfter = chance.nextInt(16) == 0 ? someTime(chance, 4, 3_000_000) : -1;
        this.closesAfter = chance.nextInt(16) == 0 ? someTime(chance, 4, 3_000_000) : -1;
    }

    private static long someTime(SplittableRandom chance, int orNone, long nanos) {
        return chance.nextInt(orNone) == 0 ? 0 : chance.nextLong(nanos);
    }

    Side other() {
        return talk.other(this);
    }

    @Override
    public Incarnation incarnation() {
        return Objects.requireNonNull(incarnation);
    }

    @Override
    public ByteBufAllocator allocator() {
        return Objects.requireNonNull(channel).allocator();
    }

    boolean hasBegun() {
        return channel != null;
    }

    /** Everything on this side has come to its end, though not always to a good one. */
    boolean isOver() {
        return sendingIsOver() && receivingIsOver();
    }

    /** Who closes the channel hears no more of what comes in. */
    private boolean receivingIsOver() {
        return receiver.isOver() || closed;
    }

    private boolean sendingIsOver() {
        return sent || left || sendError != null;
    }

    @Override
    public long entitled() {
        Side there = other();
        return there.receiver.demandAnd(talk.hostOf(there).spec().windows().initial());
    }

    @Override
    public Content expected() {
        return other().source.content();
    }

    /** Uses the channel; completes when both halves have come to their end here. */
    Mono<Void> use(Incarnation its, Channel opened) {
        if (channel != null) {
            simulation.violated(this + " is given a second channel");
        }
        incarnation = its;
        channel = opened;
        begin(sendsAfter, this::send);
        begin(receivesAfter, () -> opened.receive().subscribe(receiver));
        if (closesAfter >= 0) {
            simulation.act(its, closesAfter, this::close);
        }
        return over.asMono();
    }

    /** On the loop that gave us the channel, or later on another thread. */
    private void begin(long after, Runnable action) {
        if (after == 0) {
            action.run();
        } else {
            simulation.act(incarnation(), after, action);
        }
    }

    private void send() {
        Channel to = Objects.requireNonNull(channel);
        Disposable sending = (wantsDelivery ? to.sendDelivered(source) : to.send(source))
                .subscribe(nothing -> {}, this::sendFailed, this::sendCompleted);
        if (leavesAfter >= 0) {
            simulation.act(incarnation(), leavesAfter, () -> {
                if (!sendingIsOver()) {
                    simulation.trace(() -> this + " gives up sending");
                    left = true;
                    sending.dispose();
                    lookWhetherOver();
                }
            });
        }
    }

    private void close() {
        simulation.trace(() -> this + " closes its channel");
        closed = true;
        var unused = Objects.requireNonNull(channel)
                .close()
                .subscribe(
                        nothing -> {},
                        error -> simulation.violated("closing the channel of " + this + " has failed", error));
        lookWhetherOver();
    }

    private void sendCompleted() {
        inTurn("the end");
        sent = true;
        Side there = other();
        boolean unwanted = there.receiver.isCancelled() || there.closed || there.hasFailedByPlan() || closed;
        simulation.trace(() -> this + " has sent everything" + (unwanted ? " that is wanted" : ""));
        if (!source.hasCompleted() && !unwanted) {
            simulation.violated(this + " is told that everything was sent after " + source.emitted() + " messages");
        }
        boolean had = there.receiver.hasCompleted() && there.receiver.received() == source.emitted();
        if (wantsDelivery && !had && !unwanted) {
            simulation.violated(this + " is told that everything was delivered, but the other side has had "
                    + there.receiver.received() + " messages of " + source.emitted());
        }
        lookWhetherOver();
    }

    private void sendFailed(Throwable error) {
        inTurn("an error");
        sendError = error;
        simulation.trace(() -> "the sending of " + this + " fails: " + error);
        failed("sending", error);
    }

    private void inTurn(String signal) {
        if (sendingIsOver()) {
            simulation.violated("the sending of " + this + " is given " + signal + " after its last signal");
        }
        onLoop("the sending");
    }

    @Override
    public void onLoop(String who) {
        incarnation().mustBeOnLoop(who + " of " + this);
    }

    @Override
    public void receivedAll() {
        Side there = other();
        // Who gives up before it has begun, and is done with the channel, just ends it.
        boolean neverBegun = there.left && !there.source.isAsked();
        boolean whole = there.source.hasCompleted() || there.closed || neverBegun;
        if (receiver.received() != there.source.emitted() || !whole) {
            simulation.violated("the receiver of " + this + " is told the end after " + receiver.received()
                    + " messages, but the other side has " + (whole ? "" : "not ended, and ") + "emitted "
                    + there.source.emitted());
        }
        lookWhetherOver();
    }

    /** One half has ended with an error: is that allowed? */
    @Override
    public void failed(String half, Throwable error) {
        boolean allowed;
        if (simulation.excuses().endsSession(error)) {
            allowed = talk.sessionMayEnd();
            talk.otherHearsOfIt(this);
        } else if (error instanceof RemoteFailure) {
            String text = String.valueOf(error.getMessage());
            Side there = other();
            allowed = (there.source.hasFailed() && text.contains("planned by " + there))
                    || (there.left && text.contains("the sender has cancelled"));
        } else if (error instanceof Source.Planned) {
            allowed = source.hasFailed();
        } else if (error instanceof CancellationException) {
            allowed = left;
        } else {
            allowed = error instanceof IllegalStateException && closed;
        }
        if (!allowed) {
            simulation.violated(half + " of " + this + " has failed for no reason that was planned", error);
        }
        lookWhetherOver();
    }

    /** Its source has failed or it has given up sending, which fails both halves on both sides. */
    private boolean hasFailedByPlan() {
        return source.hasFailed() || left;
    }

    private boolean disturbs() {
        return hasFailedByPlan() || closed;
    }

    private void lookWhetherOver() {
        if (isOver()) {
            over.tryEmitEmpty();
        }
    }

    /** At rest: whether everything has come to the end that it should. */
    void checkAtRest(boolean sessionMayHaveEnded) {
        if (!isOver()) {
            simulation.violated(this + " has come to no end: its receiver has had " + receiver.received() + " of "
                    + other().source.emitted() + " messages"
                    + (receivingIsOver() ? " and is over" : ", demand " + receiver.demand()) + "; "
                    + (sendingIsOver() ? "sending is over" : "it has emitted " + source.emitted()));
        }
        if (source.isAsked() && !source.isOver()) {
            simulation.violated("the source of " + this + " was left neither ended nor cancelled");
        }
        if (sessionMayHaveEnded || disturbs() || other().disturbs()) {
            return;
        }
        if (sendError != null || receiver.error() != null) {
            simulation.violated(this + " has failed, and nothing was done to it");
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** A time after which the other side must have heard of the end of the session. */
    static Duration patience() {
        return Excuses.GIVEN_UP;
    }
}
