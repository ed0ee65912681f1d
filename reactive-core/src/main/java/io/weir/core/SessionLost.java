package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * An open connection to the peer has ended. What was under way may or may not have arrived, unless {@link #repeat()}
 * says that nothing of it was sent.
 */
public final class SessionLost extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public SessionLost(String message) {
        this(message, null);
    }

    public SessionLost(String message, @Nullable Throwable cause) {
        this(message, cause, Repeat.IDEMPOTENT);
    }

    /** @param repeat {@link Repeat#ANY} if nothing was sent, {@link Repeat#IDEMPOTENT} if something may have been */
    public SessionLost(String message, @Nullable Throwable cause, Repeat repeat) {
        super(message, cause, repeat);
    }

    @Override
    public SessionLost unsent() {
        return repeat() == Repeat.ANY ? this : new SessionLost(String.valueOf(getMessage()), this, Repeat.ANY);
    }
}
