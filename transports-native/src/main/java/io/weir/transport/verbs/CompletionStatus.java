package io.weir.transport.verbs;

import io.weir.core.SessionLost;

/** How a request on a connection has ended, as libibverbs numbers it, and what that usually means. */
enum CompletionStatus {
    SUCCESS(0, "it was done"),
    LOCAL_LENGTH(1, "a message was longer than the slot that it came into: both sides disagree on the size of slots"),
    LOCAL_CONNECTION(
            2,
            "our own connection could not go on: a message was longer than the slot that it came into, or the "
                    + "device has failed"),
    LOCAL_CONTEXT(3, "our own context has failed inside the device"),
    LOCAL_PROTECTION(4, "our memory was not registered for this: a defect of Weir"),
    FLUSHED(5, "the connection had already failed"),
    WINDOW(6, "a memory window could not be bound"),
    BAD_RESPONSE(7, "the peer's device has answered with something else than was asked for"),
    LOCAL_ACCESS(8, "our memory could not be written to"),
    REMOTE_REQUEST(9, "the peer's device takes the request for invalid: both sides disagree on the size of slots"),
    REMOTE_ACCESS(10, "the peer does not let us read this memory: it was freed there, or never offered"),
    REMOTE_OPERATION(11, "the peer's device could not do what it was asked for"),
    NO_ANSWER(12, "the peer does not answer: its process has ended, or the network between both is cut"),
    NOT_READY(13, "the peer has had no slot ready for too long: it hangs"),
    LOCAL_DOMAIN(14, "a datagram domain was violated"),
    REMOTE_DATAGRAM(15, "the peer takes a datagram request for invalid"),
    REMOTE_ABORTED(16, "the peer has aborted"),
    LOCAL_DATAGRAM(17, "a datagram context is invalid"),
    LOCAL_STATE(18, "a datagram context is in a wrong state"),
    FATAL(19, "the device has failed"),
    RESPONSE_TIMEOUT(20, "the peer's answer did not come in time"),
    GENERAL(21, "the device says no more than that it has failed");

    private static final CompletionStatus[] ALL = values();

    static final int OK = SUCCESS.number;

    private final int number;
    private final String words;

    CompletionStatus(int number, String words) {
        this.number = number;
        this.words = words;
    }

    int number() {
        return number;
    }

    /** Says what a completion with this status means. */
    static SessionLost lost(String doing, int status, int vendorError) {
        String means = status >= 0 && status < ALL.length ? ALL[status].words : "a status that we don't know";
        return new SessionLost("the connection has failed while " + doing + ": " + means + " (status " + status
                + ", the device says 0x" + Integer.toHexString(vendorError) + ")");
    }

    /** Whether it only follows from something that has failed before. */
    static boolean isConsequence(int status) {
        return status == FLUSHED.number;
    }
}
