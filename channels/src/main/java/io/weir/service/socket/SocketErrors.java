package io.weir.service.socket;

import io.weir.core.TimedOut;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketException;

/** Weir's errors in the words of {@code java.net}, with the reason. */
final class SocketErrors {

    private SocketErrors() {}

    /** An open connection has failed. */
    static SocketException reset(Throwable reason) {
        return because(new SocketException("Connection reset: " + reason.getMessage()), reason);
    }

    /** A connection has not come about. */
    static SocketException refused(SocketAddress to, Throwable reason) {
        String what = reason instanceof TimedOut ? "Connection timed out" : "Connection refused";
        return because(new ConnectException(what + ": " + to + ": " + reason.getMessage()), reason);
    }

    static <E extends Exception> E because(E error, Throwable reason) {
        error.initCause(reason);
        return error;
    }
}
