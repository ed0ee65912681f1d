package io.weir.hostile.client;

import java.io.IOException;
import java.util.Arrays;

/**
 * The books of a channel: what the node permits, and what was used of it. They bind nobody; {@link #send} sends also what there is
 * no credit for.
 */
public final class Channel {

    /** What one frame takes. */
    private static final int LONGEST = 65_536;

    private final Session session;
    private final int number;

    // Guarded by this.
    private long items;
    private long bytes;
    private long messages;
    private byte[] last = {};
    private boolean accepted;
    private boolean ended;
    private boolean delivered;
    private String error = "";

    Channel(Session session, int number) {
        this.session = session;
        this.number = number;
    }

    public int number() {
        return number;
    }

    synchronized void took(Frame frame) {
        switch (frame.kind()) {
            case Kind.ACCEPT, Kind.CREDIT -> {
                accepted = true;
                items += frame.words()[0];
                bytes += frame.words()[1];
            }
            case Kind.ERROR -> {
                ended = true;
                error = frame.aux() + " " + frame.text();
            }
            case Kind.END -> ended = true;
            case Kind.DELIVERED -> delivered = true;
            default -> {
                messages++;
                last = frame.body();
            }
        }
        notifyAll();
    }

    synchronized void lost() {
        ended = true;
        notifyAll();
    }

    /** Whether the node has accepted it, as soon as it has answered. Needs {@link Session#read}. */
    public synchronized boolean awaitAccept() throws InterruptedException {
        while (!accepted && !ended) {
            wait();
        }
        return !ended;
    }

    /** Waits until there is credit for a message; false if the channel has ended before. Needs {@link Session#read}. */
    public synchronized boolean awaitCredit(long cost) throws InterruptedException {
        while (!ended && !affords(cost)) {
            wait();
        }
        return !ended;
    }

    /** Waits until the node says that its subscriber has had everything; false if the channel has ended before. */
    public synchronized boolean awaitDelivered() throws InterruptedException {
        while (!ended && !delivered) {
            wait();
        }
        return delivered;
    }

    public synchronized boolean affords(long cost) {
        return items >= 1 && bytes >= cost;
    }

    /** Bytes that the node still permits. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Messages that the node still permits. */
    public synchronized long items() {
        return items;
    }

    /** Waits for the first message, and returns what is in the frame of the last one; nothing if the channel ends without any. */
    public synchronized byte[] awaitMessage() throws InterruptedException {
        while (!ended && messages == 0) {
            wait();
        }
        return last;
    }

    /** The code and the text of the ERROR that has ended it, or nothing. */
    public synchronized String error() {
        return error;
    }

    /** Sends a message of any length as the rules want it, in pieces; false if the channel ends before there is credit for it. */
    public boolean sendWhole(Frame message) throws IOException, InterruptedException {
        byte[] payload = message.body();
        if (!affords(message.cost())) {
            session.send(Frame.want(number, message.cost()));
            if (!awaitCredit(message.cost())) {
                return false;
            }
        }
        if (message.cost() <= LONGEST) {
            send(message);
            return true;
        }
        int piece = LONGEST - message.control().length;
        send(new Frame(
                Kind.FIRST,
                message.flags(),
                number,
                message.aux(),
                new long[] {payload.length},
                message.control(),
                Arrays.copyOf(payload, piece)));
        for (int at = piece; at < payload.length; at += LONGEST) {
            session.send(Frame.next(number, Arrays.copyOfRange(payload, at, Math.min(payload.length, at + LONGEST))));
        }
        return true;
    }

    /** Sends the DATA or FIRST of messages and books them, also without credit. */
    public void send(Frame... messages) throws IOException {
        synchronized (this) {
            items -= messages.length;
            for (Frame message : messages) {
                bytes -= message.cost();
            }
        }
        session.send(messages);
    }
}
