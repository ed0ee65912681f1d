package io.weir.path;

/** The flag bits that sessions use in frames; the upper four belong to links. */
public final class Flags {

    /** DATA and FIRST: a request that awaits the answer with the same number. */
    public static final int REQUEST = 1;

    /** DATA and FIRST: the answer to the request with the same number. */
    public static final int ANSWER = 2;

    /** With ANSWER: the request has failed; the control data says how, the payload holds the text. */
    public static final int FAILED = 4;

    /** With ANSWER: the request has been served and there is no value. With FAILED: nobody has looked at it. */
    public static final int EMPTY = 8;

    /** With ANSWER, FAILED and EMPTY: because our node is going to leave, so somebody else may be asked. */
    public static final int ELSEWHERE = 1;

    /** PING: our node is going to leave. */
    public static final int LEAVES = 1;

    /** OPEN: the channel will carry requests and single messages. */
    public static final int REQUESTS = 1;

    /** END: asks for DELIVERED. */
    public static final int CONFIRM = 1;

    /**
     * REFUSE: another connection between us is kept instead of this one; where a session goes on, it takes the next
     * one.
     */
    public static final int CROSSED = 1;

    /** REFUSE: there is no such session here any more. */
    public static final int ENDED = 8;

    /** REFUSE: something was not proved. */
    static final int UNPROVED = 2;

    /** REFUSE: there is no room now. */
    static final int OVERLOADED = 4;

    /** FAILED: from the side that connects, which wanted to know how fast this path answers. */
    public static final int MEASURED = 1;

    /** REJOIN: from the side that leads the session, as it has begun it. */
    public static final int LEADS = 1;

    /**
     * PROPOSE, from the side that follows: the device of this path can't be used there; body: the path, a blank, the
     * reason.
     */
    static final int MISSING = 1;

    /** PROPOSE, from the side that follows: the device of this path can be used there again. */
    static final int BACK = 2;

    /** LOST: the answer to the other side's. */
    static final int ANSWERED = 1;

    private Flags() {}
}
