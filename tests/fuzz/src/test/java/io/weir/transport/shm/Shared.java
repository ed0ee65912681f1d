package io.weir.transport.shm;

import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.UnixSocket;

/** What two processes share, with nobody in the other one. */
final class Shared {

    private Shared() {}

    static Segment segment(SegmentLayout layout) {
        try {
            return new Segment(layout, Posix.memory(layout.length()));
        } catch (NativeFailure e) {
            throw new AssertionError(e);
        }
    }

    /** One that nobody hears. */
    static Doorbell doorbell() {
        try {
            return new Doorbell(UnixSocket.unconnected());
        } catch (NativeFailure e) {
            throw new AssertionError(e);
        }
    }
}
