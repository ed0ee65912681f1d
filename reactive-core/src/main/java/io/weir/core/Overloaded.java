package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A bound was reached, here or at the peer. */
public final class Overloaded extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public Overloaded(String message) {
        this(message, null);
    }

    public Overloaded(String message, @Nullable Throwable cause) {
        this(message, cause, Repeat.ANY);
    }

    /** @param repeat {@link Repeat#ANY} if nothing was sent, {@link Repeat#IDEMPOTENT} if something may have been */
    public Overloaded(String message, @Nullable Throwable cause, Repeat repeat) {
        super(message, cause, repeat);
    }

    @Override
    public Overloaded unsent() {
        return repeat() == Repeat.ANY ? this : new Overloaded(String.valueOf(getMessage()), this, Repeat.ANY);
    }
}
