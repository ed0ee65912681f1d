package io.weir.transport.dapl;

import io.weir.core.SessionLost;

/** How a transfer has ended ({@code DAT_DTO_COMPLETION_STATUS}). */
enum DtoStatus {
    SUCCESS(0, "nothing was wrong"),
    FLUSHED(1, "it was given up, as something had failed before, or the peer has disconnected"),
    LOCAL_LENGTH(2, "a message was longer than its slot"),
    LOCAL_ENDPOINT(3, "our endpoint is in a wrong state"),
    LOCAL_PROTECTION(4, "our memory is not registered as it has to be"),
    BAD_RESPONSE(5, "the peer's adapter has answered with something else than was asked for"),
    REMOTE_ACCESS(6, "the peer does not let us read this memory: it was freed there, or never offered"),
    REMOTE_RESPONDER(7, "the peer's adapter could not do what it was asked for"),
    TRANSPORT(8, "the peer does not answer: its process has ended, or the network between both is cut"),
    RECEIVER_NOT_READY(9, "the peer has had no slot ready for too long: it hangs"),
    PARTIAL_PACKET(10, "a packet came incomplete");

    static final int OK = SUCCESS.number;

    private static final DtoStatus[] ALL = values();

    private final int number;
    private final String words;

    DtoStatus(int number, String words) {
        this.number = number;
        this.words = words;
    }

    int number() {
        return number;
    }

    /** Whether it only follows from something that has failed before. */
    static boolean isConsequence(int status) {
        return status == FLUSHED.number;
    }

    /** Says what a transfer that has ended like this means, and more behind it. */
    static SessionLost lost(String doing, int status, String more) {
        String means = status >= 0 && status < ALL.length ? ALL[status].words : "a status that we don't know";
        return new SessionLost(
                "the connection has failed while " + doing + ": " + means + " (status " + status + ")" + more);
    }
}
