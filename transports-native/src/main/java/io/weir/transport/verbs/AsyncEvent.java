package io.weir.transport.verbs;

/** What a device reports without being asked, as libibverbs numbers it. */
enum AsyncEvent {
    COMPLETIONS_LOST(0, Subject.QUEUE, "a completion queue has failed"),
    CONNECTION_FAILED(1, Subject.PAIR, "a connection has failed in the device"),
    BAD_REQUEST(2, Subject.PAIR, "a connection was sent a request that it can't serve"),
    BAD_ACCESS(3, Subject.PAIR, "a connection was sent a request for memory that it must not have"),
    ESTABLISHED(4, Subject.PAIR, "a connection has had its first packet"),
    DRAINED(5, Subject.PAIR, "a connection has sent all it had"),
    MIGRATED(6, Subject.PAIR, "a connection has taken its other path"),
    NOT_MIGRATED(7, Subject.PAIR, "a connection can't take its other path"),
    DEVICE_FAILED(8, Subject.DEVICE, "the device has failed, or was taken away"),
    PORT_ACTIVE(9, Subject.PORT, "the port is active"),
    PORT_DOWN(10, Subject.PORT, "the port is down"),
    LID_CHANGED(11, Subject.PORT, "the port's LID has changed"),
    PARTITIONS_CHANGED(12, Subject.PORT, "the port's partitions have changed"),
    MANAGER_CHANGED(13, Subject.PORT, "the subnet has another manager"),
    SHARED_QUEUE_FAILED(14, Subject.OTHER, "a shared queue has failed"),
    SHARED_QUEUE_LOW(15, Subject.OTHER, "a shared queue runs low"),
    LAST_REQUEST(16, Subject.PAIR, "a connection has had its last request"),
    REGISTER_AGAIN(17, Subject.PORT, "the subnet's manager asks for registration"),
    GID_CHANGED(18, Subject.PORT, "the port's GIDs have changed"),
    /** A newer library's. */
    UNKNOWN(-1, Subject.OTHER, "something has happened that we don't know");

    /** What an event is about. */
    enum Subject {
        QUEUE,
        PAIR,
        PORT,
        DEVICE,
        OTHER
    }

    private static final AsyncEvent[] ALL = values();

    private final int number;
    private final Subject subject;
    private final String words;

    AsyncEvent(int number, Subject subject, String words) {
        this.number = number;
        this.subject = subject;
        this.words = words;
    }

    static AsyncEvent of(int number) {
        return number >= 0 && number < ALL.length - 1 ? ALL[number] : UNKNOWN;
    }

    int number() {
        return number;
    }

    Subject subject() {
        return subject;
    }

    /** Whether something has failed that nobody tells in another way. */
    boolean isTrouble() {
        return switch (this) {
            case COMPLETIONS_LOST, CONNECTION_FAILED, BAD_REQUEST, BAD_ACCESS, DEVICE_FAILED, UNKNOWN -> true;
            default -> false;
        };
    }

    /** What it means. */
    String words() {
        return words;
    }
}
