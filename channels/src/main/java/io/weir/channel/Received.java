package io.weir.channel;

import io.weir.core.Message;
import io.weir.path.Flags;
import reactor.core.publisher.Mono;

/**
 * A message in a {@link Mailbox}, with its sender. It belongs to the subscriber, who releases it.
 */
public final class Received {

    private final MailboxFeed feed;
    private final Message message;
    private final boolean awaitsAnswer;
    private final int number;
    private final long cost;

    // Where it is in the mailbox; of whoever delivers.
    long turn;
    long arrival;
    int slot;

    /** @param cost what it has of the account of memory while it is in the mailbox */
    Received(MailboxFeed feed, Message message, boolean awaitsAnswer, int number, long cost) {
        this.cost = cost;
        this.feed = feed;
        this.message = message;
        this.awaitsAnswer = awaitsAnswer;
        this.number = number;
    }

    /** Who sent it. */
    public Peer from() {
        return feed.peer();
    }

    /** What was sent; without a change of ownership. */
    public Message message() {
        return message;
    }

    /** Whether the sender awaits an answer. */
    public boolean awaitsAnswer() {
        return awaitsAnswer;
    }

    /**
     * Answers the sender, who has asked: gives the answer away, releases the message that was received. Completes when
     * the answer is handed to the path; fails with {@link IllegalStateException} if no answer is awaited or with what
     * has ended the connection. To be used once.
     */
    public Mono<Void> answer(Message answer) {
        return feed.reply(this, answer, Flags.ANSWER);
    }

    /** Informs the sender, who has asked, that there is no answer, and why. Otherwise as {@link #answer}. */
    public Mono<Void> refuse(String reason) {
        return Mono.defer(() -> feed.reply(this, Message.of(reason), Flags.ANSWER | Flags.FAILED));
    }

    /** Releases the message; see {@link Message#release()}. */
    public void release() {
        message.release();
    }

    MailboxSender sender() {
        return feed.sender();
    }

    /** Bytes that it takes while it is in the mailbox. */
    long cost() {
        return cost;
    }

    int number() {
        return number;
    }

    @Override
    public String toString() {
        return "Received[" + message + " from " + from().id() + ']';
    }
}
