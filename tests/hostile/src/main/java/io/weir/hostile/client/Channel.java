package io.weir.hostile.client;

import java.io.IOException;

/**
 * The books of a channel: what the node permits, and what was used of it. They bind nobody; {@link #send} sends also what there is
 * no credit for.
 */
public final class Channel {

    private final Session session;
    private final int number;

    // Guarded by this.
    private long items;
    private long bytes;
    private long messages;
    private boolean accepted;
    private boolean ended;
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
            default -> messages++;
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

    /** How many messages have come on it. */
    public synchronized long messages() {
        return messages;
    }

    /** The code and the text of the ERROR that has ended it, or nothing. */
    public synchronized String error() {
        return error;
    }

    /** Sends a message's DATA or FIRST and books it, also without credit. */
    public void send(Frame message) throws IOException {
        synchronized (this) {
            items--;
            bytes -= message.cost();
        }
        session.send(message);
    }
}
