package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * One side of a connection has not proved who it is, as the other one wants it: what both have to set is in the
 * message.
 */
public final class AuthenticationFailed extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public AuthenticationFailed(String message) {
        this(message, null);
    }

    public AuthenticationFailed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
