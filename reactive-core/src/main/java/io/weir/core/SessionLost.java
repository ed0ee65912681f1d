package io.weir.core;

import org.jspecify.annotations.Nullable;

/** An open connection to the peer has ended without a goodbye; what was under way may or may not have arrived. */
public final class SessionLost extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public SessionLost(String message) {
        this(message, null);
    }

    public SessionLost(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
