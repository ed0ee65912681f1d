package io.weir.core;

import org.jspecify.annotations.Nullable;

/** The other side does not speak this protocol, speaks another version of it, or broke one of its rules. */
public final class ProtocolMismatch extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public ProtocolMismatch(String message) {
        this(message, null);
    }

    public ProtocolMismatch(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
