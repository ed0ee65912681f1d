package io.weir.hostile.client;

/** The flags of frames; the same bit means different things in different kinds. */
public final class Flag {

    public static final int REQUESTS = 1;
    public static final int CONFIRM = 1;
    public static final int REQUEST = 1;
    public static final int ANSWER = 2;
    public static final int LEADS = 1;
    public static final int UNPROVED = 2;
    public static final int OVERLOADED = 4;
    public static final int ENDED = 8;

    private Flag() {}
}
