package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * A step of connecting did not end within its time, and nothing was sent; or a call did not, which may have been done
 * then.
 */
public final class TimedOut extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public TimedOut(String message) {
        this(message, null);
    }

    public TimedOut(String message, @Nullable Throwable cause) {
        this(message, cause, Repeat.ANY);
    }

    /** @param repeat {@link Repeat#ANY} if nothing was sent, {@link Repeat#IDEMPOTENT} if something may have been */
    public TimedOut(String message, @Nullable Throwable cause, Repeat repeat) {
        super(message, cause, repeat);
    }

    @Override
    public TimedOut unsent() {
        return repeat() == Repeat.ANY ? this : new TimedOut(String.valueOf(getMessage()), this, Repeat.ANY);
    }
}
