package io.weir.hostile.client;

/** The kinds of frames, and how many words each has. */
public final class Kind {

    public static final int HELLO = 1;
    public static final int REFUSE = 2;
    public static final int CARD = 3;
    public static final int PROPOSE = 4;
    public static final int OFFER = 5;
    public static final int OPENED = 6;
    public static final int FAILED = 7;
    public static final int PROBE = 8;
    public static final int PROBED = 9;
    public static final int USE = 10;
    public static final int MOVE = 11;
    public static final int RESUME = 13;
    public static final int LOST = 14;
    public static final int ACK = 15;
    public static final int GOODBYE = 16;
    public static final int PING = 17;
    public static final int PONG = 18;
    public static final int PROOF = 19;
    public static final int REJOIN = 20;
    public static final int OPEN = 32;
    public static final int ACCEPT = 33;
    public static final int DATA = 34;
    public static final int FIRST = 35;
    public static final int NEXT = 36;
    public static final int END = 37;
    public static final int CANCEL = 38;
    public static final int ERROR = 39;
    public static final int CREDIT = 40;
    public static final int WANT = 41;
    public static final int DELIVERED = 42;
    public static final int ABORT = 43;

    /** From here on, receivers skip what they do not know. */
    public static final int SKIPPED = 128;

    private Kind() {}

    static int words(int kind) {
        return switch (kind) {
            case PROBE, PROBED, OPEN, ACCEPT, CREDIT -> 2;
            case MOVE, RESUME, LOST, ACK, REJOIN, FIRST, WANT -> 1;
            default -> 0;
        };
    }
}
