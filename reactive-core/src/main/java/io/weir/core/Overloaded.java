package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A bound was reached, here or at the peer. */
public final class Overloaded extends WeirException.Retryable {

    private static final long serialVersionUID = 1L;

    public Overloaded(String message) {
        this(message, null);
    }

    public Overloaded(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
