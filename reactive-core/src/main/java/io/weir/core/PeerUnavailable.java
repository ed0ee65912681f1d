package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * The peer can't be reached now: nobody listens there, the network is cut, or it did not answer in time. Nothing was
 * sent.
 */
public final class PeerUnavailable extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public PeerUnavailable(String message) {
        this(message, null);
    }

    public PeerUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause, Repeat.ANY);
    }
}
