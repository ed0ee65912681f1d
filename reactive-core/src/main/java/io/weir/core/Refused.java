package io.weir.core;

import org.jspecify.annotations.Nullable;

/** The peer does not want this connection or channel. */
public final class Refused extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public Refused(String message) {
        this(message, null);
    }

    public Refused(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
