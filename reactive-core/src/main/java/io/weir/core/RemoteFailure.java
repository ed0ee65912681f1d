package io.weir.core;

import org.jspecify.annotations.Nullable;

/** The peer's own code failed while it served us. */
public non-sealed class RemoteFailure extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public RemoteFailure(String message) {
        this(message, null);
    }

    public RemoteFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
