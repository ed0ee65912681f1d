package io.weir.hostile.client;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The books of a channel: what the node permits, and what was used of it. They bind nobody; {@link #send} sends also
 * what there is no credit for. Whatever waits here needs {@link Session#read}.
 */
public final class Channel {

    /** How long is waited for anything. */
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

    /** What one frame takes. */
    private static final int LONGEST = 65_536;

    private final Session session;
    private final int number;

    // All guarded by this.
    private long items;
    private long bytes;
    private long messages;
    private byte[] last = {};
    private boolean accepted;
    // The node sends nothing more; it takes nothing more; there is no session any more.
    private boolean finished;
    private boolean ended;
    private boolean lost;
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
            case Kind.END -> finished = true;
            case Kind.CANCEL -> ended = true;
            case Kind.ERROR -> {
                finished = true;
                ended = true;
                error = frame.aux() + " " + frame.text();
            }
            case Kind.DELIVERED -> delivered = true;
            default -> {
                messages++;
                last = frame.body();
            }
        }
        notifyAll();
    }

    synchronized void lost() {
        finished = true;
        ended = true;
        lost = true;
        notifyAll();
    }

    /** Whether the node has accepted it, as soon as it has answered. */
    public boolean awaitAccept() throws InterruptedException {
        return await(() -> accepted || ended) && !ended();
    }

    /** Waits until there is credit for a message; false if it has not come in time, or the node takes nothing more. */
    public boolean awaitCredit(long cost) throws InterruptedException {
        return await(() -> ended || affords(cost)) && !ended();
    }

    /** Waits until the node says that its subscriber has had everything; false if it does not. */
    public boolean awaitDelivered() throws InterruptedException {
        return await(() -> lost || !error.isEmpty() || delivered) && delivered();
    }

    /** Waits for the first message, and returns what is in the frame of the last one; nothing if none comes. */
    public byte[] awaitMessage() throws InterruptedException {
        return await(() -> finished || messages > 0) ? last() : new byte[0];
    }

    /** Whether that has come about in time. */
    private synchronized boolean await(BooleanSupplier what) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT;
        long left = LIMIT;
        while (!what.getAsBoolean() && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = deadline - System.nanoTime();
        }
        return what.getAsBoolean();
    }

    private synchronized boolean ended() {
        return ended;
    }

    private synchronized boolean delivered() {
        return delivered;
    }

    private synchronized byte[] last() {
        return last;
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

    /** The code and the text of the ERROR that has ended it, or nothing. */
    public synchronized String error() {
        return error;
    }

    /**
     * Sends a message of any length as the rules want it, in pieces; false if the channel ends before there is credit
     * for it.
     */
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
