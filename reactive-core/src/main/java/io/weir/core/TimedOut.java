package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A step of connecting did not end within its time. Nothing was sent. */
public final class TimedOut extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public TimedOut(String message) {
        this(message, null);
    }

    public TimedOut(String message, @Nullable Throwable cause) {
        super(message, cause, Repeat.ANY);
    }
}
