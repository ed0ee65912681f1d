package io.weir.transport.nativelib;

import java.io.IOException;

/** A call into the system failed. The message names the call and the system's own words. */
public final class NativeFailure extends IOException {

    private static final long serialVersionUID = 1L;

    private final int error;

    NativeFailure(String message, int error) {
        super(message);
        this.error = error;
    }

    /** The system's number for it, such as {@link LibC#EPERM}; 0 if it has none. */
    public int error() {
        return error;
    }
}
