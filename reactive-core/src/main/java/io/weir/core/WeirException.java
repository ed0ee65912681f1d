package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * Everything that Weir signals. The message names the thing and the remedy; the type says whether trying again may help.
 */
public abstract sealed class WeirException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private WeirException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Trying again later may succeed. */
    public abstract static sealed class Retryable extends WeirException
            permits PeerUnavailable, SessionLost, TimedOut, Overloaded {

        private static final long serialVersionUID = 1L;

        Retryable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Trying again without a change of configuration or code gives the same result. */
    public abstract static sealed class Permanent extends WeirException
            permits Misconfigured, PathRequired, ProtocolMismatch, Refused, MessageTooLarge, RemoteFailure {

        private static final long serialVersionUID = 1L;

        Permanent(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
