package io.weir.simulator;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Peer;
import io.weir.channel.Received;
import io.weir.core.Message;
import io.weir.core.RemoteFailure;
import io.weir.core.Repeat;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** One message to a mailbox, told or asked, at both sides. */
final class Letter implements CoreSubscriber<Message> {

    /** What is awaited of it, and given. */
    private enum Reply {
        NONE,
        ANSWER,
        REFUSAL
    }

    private final Simulation simulation;
    private final Letters of;
    private final int number;
    private final Content content;
    private final Content answer;
    private final Reply reply;
    private final boolean urgent;
    /** The sender loses interest after this time; -1 if not. */
    private final long losesInterestAfter;

    private @Nullable Incarnation sender;
    private @Nullable Subscription subscription;
    private boolean read;
    private boolean answered;
    private boolean completed;
    private boolean cancelled;
    private @Nullable Throwable error;

    Letter(Simulation simulation, Letters of, int number, Content content, SplittableRandom chance) {
        this.simulation = simulation;
        this.of = of;
        this.number = number;
        this.content = content;
        this.reply = chance.nextInt(4) > 0 ? Reply.NONE : chance.nextInt(4) > 0 ? Reply.ANSWER : Reply.REFUSAL;
        this.urgent = chance.nextInt(3) == 0;
        this.answer = reply == Reply.NONE ? content : new Content(simulation.ledger(), chance);
        this.losesInterestAfter = chance.nextInt(24) == 0 ? chance.nextLong(3_000_000) : -1;
    }

    Letters of() {
        return of;
    }

    boolean isUrgent() {
        return urgent;
    }

    /** At the side that sends. */
    void send(Incarnation here, Peer peer) {
        sender = here;
        Message message = content.message(number, peer.allocator())
                .with(Letterbox.NUMBER, Integer.toString(number))
                .with(Letterbox.URGENT, Boolean.toString(urgent));
        Mono<Message> sent = reply == Reply.NONE
                ? peer.tell(Letterbox.PORT, message).cast(Message.class)
                : peer.ask(Letterbox.PORT, message);
        sent.subscribe(this);
        if (losesInterestAfter >= 0) {
            simulation.act(here, losesInterestAfter, () -> {
                if (!isOver()) {
                    simulation.trace(() -> this + " is no longer of interest");
                    cancelled = true;
                    Objects.requireNonNull(subscription).cancel();
                }
            });
        }
    }

    boolean isSent() {
        return sender != null;
    }

    boolean isOver() {
        return completed || cancelled || error != null;
    }

    @Override
    public void onSubscribe(Subscription its) {
        subscription = its;
        its.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Message message) {
        String wrong = answer.wrong(0, message);
        message.release();
        if (wrong != null || reply != Reply.ANSWER || answered || completed || error != null) {
            simulation.violated(this + " is answered by a message that " + (wrong == null ? "nobody sent" : wrong));
        }
        answered = true;
    }

    @Override
    public void onComplete() {
        last();
        completed = true;
        boolean asPlanned = reply == Reply.NONE || (reply == Reply.ANSWER && answered && read);
        if (!asPlanned && !cancelled) {
            simulation.violated(this + " ends in good order, " + (read ? "" : "un") + "read and "
                    + (answered ? "" : "not ") + "answered, and " + reply + " is due");
        }
    }

    @Override
    public void onError(Throwable reason) {
        last();
        error = reason;
        simulation.trace(() -> this + " fails: " + reason);
        boolean planned = reason instanceof RemoteFailure
                && reply == Reply.REFUSAL
                && read
                && String.valueOf(reason.getMessage()).endsWith("planned by " + this);
        if (!cancelled && !planned && !of.mayFail(reason)) {
            simulation.violated(this + " has failed for no reason that was planned", reason);
        }
        checkRepeat();
    }

    private void last() {
        if (completed || error != null) {
            simulation.violated(this + " ends twice");
        }
    }

    /** Who is told that nothing was sent may send it again. */
    private void checkRepeat() {
        if (read && error instanceof WeirException reason && reason.repeat() == Repeat.ANY) {
            simulation.violated(this + " was read, and its sender is told that it was not sent", reason);
        }
    }

    /** Whether nobody will ever read it. */
    boolean isWithdrawn() {
        return cancelled || (error instanceof WeirException reason && reason.repeat() == Repeat.ANY);
    }

    boolean isRead() {
        return read;
    }

    /** At the side that reads: takes it over. */
    void read(Incarnation there, Received received) {
        Message message = received.message();
        String wrong = content.wrong(number, message);
        if (wrong != null) {
            simulation.violated(this + " is read as a message that " + wrong);
        }
        if (read) {
            simulation.violated(this + " is read twice");
        }
        if (received.awaitsAnswer() != (reply != Reply.NONE)
                || !received.from()
                        .id()
                        .equals(Objects.requireNonNull(sender).node().id())) {
            simulation.violated(this + " is read as " + received);
        }
        read = true;
        checkRepeat();
        if (reply == Reply.NONE) {
            received.release();
        } else if (simulation.oneIn(2)) {
            reply(received);
        } else {
            simulation.act(there, simulation.upTo(Duration.ofMillis(20)), () -> reply(received));
        }
    }

    private void reply(Received received) {
        Mono<Void> done = reply == Reply.ANSWER
                ? received.answer(answer.message(0, UnpooledByteBufAllocator.DEFAULT))
                : received.refuse("planned by " + this);
        var unused = done.subscribe(nothing -> {}, reason -> {
            simulation.trace(() -> "the answer to " + this + " fails: " + reason);
            if (!of.mayFail(reason)) {
                simulation.violated("the answer to " + this + " has failed for no reason that was planned", reason);
            }
        });
    }

    void checkAtRest(boolean mayHaveBeenLost) {
        if (!isOver()) {
            simulation.violated(this + (isSent() ? " has come to no end" : " was never sent"));
        }
        if (completed && !read && !cancelled && !mayHaveBeenLost) {
            simulation.violated(this + " was sent and never read");
        }
    }

    @Override
    public String toString() {
        return "letter " + number;
    }
}
