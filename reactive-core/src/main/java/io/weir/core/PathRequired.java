package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A path that was required, or every path that was allowed, can't be used to this peer. */
public final class PathRequired extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public PathRequired(String message) {
        this(message, null);
    }

    public PathRequired(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
