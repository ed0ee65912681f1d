package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A setting can't be used as it stands. */
public final class Misconfigured extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public Misconfigured(String message) {
        this(message, null);
    }

    public Misconfigured(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
