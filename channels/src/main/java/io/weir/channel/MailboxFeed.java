package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.Refused;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** What one channel brings into a mailbox, and the way of answers back. Loop thread only, but for {@link #reply} and {@link #more}. */
final class MailboxFeed implements MessageSink, Outbound.Feeder {

    /**
     * Messages that one sender may have under way. What a mailbox holds beyond its bound is at most this for each sender, so
     * that a silent one takes nothing from the others.
     */
    static final int AHEAD = 64;

    private final Mailbox mailbox;
    private final Channel channel;
    /** Messages for which the mailbox has room, and for which the peer was not asked yet. */
    private int wanted;

    /** What of this sender lies in the mailbox, in bytes. */
    private final AtomicLong bytes = new AtomicLong();

    /** Whether it has to wait until some of that was taken out. */
    private volatile boolean waits;

    /** There was no memory for what has come last: nothing more comes before all was taken out. */
    private volatile boolean scarce;

    /** Messages of it in the mailbox. Guarded by that. */
    int messages;

    MailboxFeed(Mailbox mailbox, Channel channel) {
        this.mailbox = mailbox;
        this.channel = channel;
    }

    void start() {
        channel.accept();
        channel.outbound().feeder(this);
        channel.inbound().sink(this);
        if (channel.tryTake(MemoryUse.MAILBOXES, AHEAD * MemoryAccount.ITEM)) {
            channel.inbound().request(AHEAD);
        } else {
            channel.turnAway(
                    ErrorCode.OVERLOADED,
                    new Overloaded("there is no memory for messages to port '" + channel.port()
                            + "': what peers may have is used up (weir.memory.max)"));
        }
    }

    /** Whether nothing comes of it before some of what there is was taken out. */
    boolean waits() {
        // The loop may not have seen yet what was taken out.
        return waits && isFull();
    }

    private boolean isFull() {
        return bytes.get() > (scarce ? 0 : channel.session().windowBytes());
    }

    /** So much of it has left the mailbox. Any thread. */
    void taken(long cost) {
        channel.session().memory().give(MemoryUse.MAILBOXES, cost);
        bytes.addAndGet(-cost);
        if (waits && !isFull()) {
            channel.execute(this::goOn);
        }
    }

    private void goOn() {
        if (waits && !isFull()) {
            waits = false;
            scarce = false;
            channel.inbound().pause(false);
        }
    }

    Peer peer() {
        return channel.peer();
    }

    /** The mailbox is no more. Any thread. */
    void close() {
        channel.execute(() -> channel.fail(ErrorCode.NO_SUCH_PORT, new Refused(Ports.noLongerServed(channel.port()))));
    }

    /** The mailbox has room for this many more. */
    void more(int messages) {
        channel.execute(() -> {
            wanted += messages;
            room();
        });
    }

    Mono<Void> reply(Received to, Message answer, int flags) {
        return Mono.create(sink -> channel.execute(() -> {
            to.release();
            Throwable over = channel.outbound().failure();
            if (over == null && channel.outbound().ending()) {
                over = new Refused(
                        to.from().id() + " has ended the channel on which it asked, and takes no answer there");
            }
            if (over != null || !to.awaitsAnswer()) {
                answer.release();
                sink.error(
                        over != null
                                ? over
                                : new IllegalStateException(to.from().id() + " awaits no answer"));
                return;
            }
            try {
                channel.outbound().send(answer, flags, to.number());
                sink.success();
            } catch (RuntimeException e) {
                sink.error(e);
            }
        }));
    }

    @Override
    public void message(Message message, int flags, int number) {
        Message kept = Inbound.compact(message);
        long cost = Outbound.cost(kept) + MemoryAccount.ITEM;
        // What was lent for it counts as the mailbox's from now on.
        channel.inbound().settleLease();
        // What comes was promised, so it is kept; where there is no memory for more, nothing more is promised.
        if (!channel.session().memory().tryTake(MemoryUse.MAILBOXES, cost)) {
            channel.session().memory().take(MemoryUse.MAILBOXES, cost);
            scarce = true;
        }
        bytes.addAndGet(cost);
        mailbox.add(new Received(this, kept, (flags & Flags.REQUEST) != 0, number, cost));
        if (isFull()) {
            waits = true;
            channel.inbound().pause(true);
            goOn();
            mailbox.look();
        }
    }

    @Override
    public void ended() {
        mailbox.ended(this);
        channel.outbound().end(false);
    }

    @Override
    public void failed(Throwable error) {
        // What has arrived stays in the mailbox; answers to it fail.
        mailbox.ended(this);
    }

    @Override
    public void room() {
        // A peer that does not take its answers is not asked for more requests, so that they can't pile up.
        if (wanted > 0 && channel.outbound().isEmpty()) {
            int more = wanted;
            wanted = 0;
            channel.inbound().request(more);
        }
    }

    /** What waits to be selected may do so for ever. */
    @Override
    public boolean idle() {
        return true;
    }

    @Override
    public void cancelled() {
        channel.cancelInbound();
    }
}
