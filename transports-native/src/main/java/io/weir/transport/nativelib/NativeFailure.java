package io.weir.transport.nativelib;

import java.io.IOException;

/** A call into the system failed. The message names the call and the system's own words. */
public final class NativeFailure extends IOException {

    private static final long serialVersionUID = 1L;

    NativeFailure(String message) {
        super(message);
    }
}
