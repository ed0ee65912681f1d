package io.weir.transport.rdma;

import io.weir.core.WeirException;

/** Where memory is registered, so that the device may use it: a device as this process has opened it. Thread-safe. */
public interface Domain {

    /**
     * Memory that the device may use until it is closed. Closed once, when nothing under way uses the memory any
     * longer. Thread-safe.
     */
    interface Registration extends AutoCloseable {

        /** What names the memory to our own device. */
        int localKey();

        /** What names the memory to the peer's device. */
        int remoteKey();

        @Override
        void close();
    }

    /**
     * Registers memory that stays where it is until the registration is closed. May take milliseconds: never called on
     * a loop.
     *
     * @param readable whether peers may read it; none may ever write it
     * @throws WeirException if the system or the device refuses, with the limit and the remedy
     */
    Registration register(long address, long length, boolean readable);
}
