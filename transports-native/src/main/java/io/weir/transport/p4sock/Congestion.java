package io.weir.transport.p4sock;

/**
 * How many fragments may be under way at once. Begins with few and doubles with each round trip until many are lost;
 * then it lets go of a third, and grows by an eighth with each round trip that goes well. A network that now and then
 * loses a fragment by itself does not slow it down, which is what it is for; one that is full does, since that loses
 * more.
 */
final class Congestion {

    private static final int BEGIN = 32;
    private static final int LEAST = 16;

    /** More than one in so many, and more than {@link #FEW}: the network is full. */
    private static final int MUCH = 16;

    private static final int FEW = 8;

    private final int most;
    private int window;
    private boolean doubling = true;
    private long roundEnd;
    private int lostInRound;
    private long roundBegin;
    private boolean used;

    /** @param most that there is room for */
    Congestion(int most, long first) {
        this.most = most;
        this.window = Math.min(BEGIN, most);
        this.roundBegin = first;
        this.roundEnd = first;
    }

    int window() {
        return window;
    }

    /** There was more to send than the window lets out. */
    void filled() {
        used = true;
    }

    void lost() {
        lostInRound++;
    }

    /** All before this has arrived; this much was sent for the first time. */
    void arrived(long before, long sent) {
        if (before < roundEnd) {
            return;
        }
        long count = roundEnd - roundBegin;
        if (lostInRound > FEW && (long) lostInRound * MUCH > count) {
            window = Math.max(LEAST, window * 2 / 3);
            doubling = false;
        } else if (used) {
            window = Math.min(most, doubling ? window * 2 : window + window / 8);
        }
        used = false;
        lostInRound = 0;
        roundBegin = roundEnd;
        roundEnd = sent;
    }

    /** Nothing has come back for long. */
    void silent() {
        window = Math.min(most, LEAST);
        doubling = true;
    }
}
