package io.weir.transport.verbs;

import io.weir.core.SessionLost;

/** How a request on a connection has ended, as libibverbs numbers it, and what that usually means. */
enum CompletionStatus {
    SUCCESS("it was done"),
    LOCAL_LENGTH("a message was longer than the slot that it came into: both sides disagree on the size of slots"),
    LOCAL_CONNECTION("our own connection has failed inside the device: a defect of its driver or of Weir"),
    LOCAL_CONTEXT("our own context has failed inside the device"),
    LOCAL_PROTECTION("our memory was not registered for this: a defect of Weir"),
    FLUSHED("the connection had already failed"),
    WINDOW("a memory window could not be bound"),
    BAD_RESPONSE("the peer's device has answered with something else than was asked for"),
    LOCAL_ACCESS("our memory could not be written to"),
    REMOTE_REQUEST("the peer's device takes the request for invalid: both sides disagree on the size of slots"),
    REMOTE_ACCESS("the peer does not let us read this memory: it was freed there, or never offered"),
    REMOTE_OPERATION("the peer's device could not do what it was asked for"),
    NO_ANSWER("the peer does not answer: its process has ended, or the network between both is cut"),
    NOT_READY("the peer has had no slot ready for too long: it hangs"),
    LOCAL_DOMAIN("a datagram domain was violated"),
    REMOTE_DATAGRAM("the peer takes a datagram request for invalid"),
    REMOTE_ABORTED("the peer has aborted"),
    LOCAL_DATAGRAM("a datagram context is invalid"),
    LOCAL_STATE("a datagram context is in a wrong state"),
    FATAL("the device has failed"),
    RESPONSE_TIMEOUT("the peer's answer did not come in time"),
    GENERAL("the device says no more than that it has failed");

    private static final CompletionStatus[] ALL = values();

    private final String words;

    CompletionStatus(String words) {
        this.words = words;
    }

    static final int OK = 0;
    private static final int WAS_FLUSHED = 5;

    /** Says what a completion with this status means. */
    static SessionLost lost(String doing, int status, int vendorError) {
        String means = status >= 0 && status < ALL.length ? ALL[status].words : "a status that we don't know";
        return new SessionLost("the connection has failed while " + doing + ": " + means + " (status " + status
                + ", the device says 0x" + Integer.toHexString(vendorError) + ")");
    }

    /** Whether it only follows from something that has failed before. */
    static boolean isConsequence(int status) {
        return status == WAS_FLUSHED;
    }
}
