package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Flags;
import reactor.core.publisher.Mono;

/**
 * What one channel brings into a mailbox, and the way of answers back. Loop thread only, but for {@link #reply} and
 * {@link #close}.
 */
final class MailboxFeed implements MessageSink, Feeder {

    /** Messages that may be on their way, also where a window has fewer, if there is memory for them. */
    private static final int AHEAD = 64;

    private final Mailbox mailbox;
    private final Channel channel;
    private final MailboxSender sender;
    private boolean over;

    MailboxFeed(Mailbox mailbox, Channel channel, MailboxSender sender) {
        this.mailbox = mailbox;
        this.channel = channel;
        this.sender = sender;
    }

    void start() {
        channel.accept();
        channel.outbound().feeder(this);
        Window window = channel.inbound().window();
        if (window.outstanding() < AHEAD) {
            boolean more = channel.tryTake(MemoryUse.MAILBOXES, AHEAD * MemoryAccount.ITEM);
            window.prefetch(more ? AHEAD : Math.max(1, window.outstanding()));
        }
        channel.inbound().sink(this);
        channel.touched();
    }

    void refuse() {
        channel.refuse(ErrorCode.NO_SUCH_PORT, Ports.noLongerServed(channel.port()));
        over();
    }

    MailboxSender sender() {
        return sender;
    }

    Peer peer() {
        return channel.peer();
    }

    /** The mailbox is no more. Any thread. */
    void close() {
        channel.execute(() -> channel.fail(ErrorCode.NO_SUCH_PORT, new Refused(Ports.noLongerServed(channel.port()))));
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
    public void arrives() {
        if (waits()) {
            sender.offer(this);
        } else if (takesAnswers() && sender.mayTake(this)) {
            channel.inbound().request(1);
        }
    }

    /** Whether something has come that may be taken in as soon as there is a place for it. */
    private boolean waits() {
        return takesAnswers() && channel.inbound().queued() > 0;
    }

    /** A peer that does not take its answers is not asked for more requests, so that they can't pile up. */
    private boolean takesAnswers() {
        return channel.outbound().isEmpty();
    }

    @Override
    public boolean isHeldUp() {
        return !takesAnswers();
    }

    /**
     * Takes in a message that waits.
     *
     * @return whether another one does
     */
    boolean takeIn() {
        if (waits()) {
            channel.inbound().request(1);
        }
        return waits();
    }

    @Override
    public void message(Message message, int flags, int number) {
        Message kept = Inbound.apart(message);
        long cost = MessageCost.of(kept) + MemoryAccount.ITEM;
        // What was lent for it counts as the mailbox's from now on.
        channel.inbound().loan().settle();
        // What comes was promised, so it is kept; where there is no memory for more, nothing more is taken in.
        MemoryAccount.Share memory = channel.session().memory();
        boolean scarce = !memory.tryTake(MemoryUse.MAILBOXES, cost);
        if (scarce) {
            memory.take(MemoryUse.MAILBOXES, cost);
        }
        mailbox.add(new Received(this, kept, (flags & Flags.REQUEST) != 0, number, cost), scarce);
    }

    @Override
    public void ended() {
        over();
        channel.outbound().end(false);
    }

    @Override
    public void failed(Throwable error) {
        // What is in the mailbox stays there; answers to it fail. What waits for a place has nobody who would bring it.
        over();
        channel.inbound().abandon(error);
    }

    private void over() {
        if (!over) {
            over = true;
            mailbox.ended(this);
            sender.closed(this);
        }
    }

    @Override
    public void room() {
        if (waits()) {
            sender.offer(this);
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
        over();
    }
}
