package io.weir.transport.dapl;

import org.jspecify.annotations.Nullable;

/** What can happen to an endpoint ({@code DAT_EVENT_NUMBER}). */
enum ConnectionEvent {
    ESTABLISHED(0x4001, "it is connected"),
    PEER_REJECTED(0x4002, "the peer takes us for somebody else"),
    NON_PEER_REJECTED(0x4003, "nobody listens there"),
    ACCEPT_FAILED(0x4004, "the peer has given up while we accepted"),
    DISCONNECTED(0x4005, "the peer has disconnected"),
    BROKEN(0x4006, "the connection is broken"),
    TIMED_OUT(0x4007, "there was no answer in time"),
    UNREACHABLE(0x4008, "the peer's adapter can't be reached");

    /** Somebody wants to connect to us. */
    static final int REQUEST = 0x2001;

    private static final ConnectionEvent[] ALL = values();

    private final int number;
    private final String words;

    ConnectionEvent(int number, String words) {
        this.number = number;
        this.words = words;
    }

    int number() {
        return number;
    }

    static @Nullable ConnectionEvent of(int number) {
        for (ConnectionEvent each : ALL) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    /** What an event means, known or not. */
    static String words(int number) {
        ConnectionEvent known = of(number);
        return (known == null ? "something that we don't know" : known.words) + " (event 0x"
                + Integer.toHexString(number) + ")";
    }
}
