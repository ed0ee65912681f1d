package io.weir.transport.elan;

import io.weir.core.PeerUnavailable;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RegisteredMemory;

/**
 * Memory for links over Elan: the adapter goes through the process's own page tables, so nothing is registered, pinned
 * or limited. Nor is anything kept from the other processes of the job, which can read and write all memory of this
 * one. Thread-safe.
 */
final class ElanDomain implements Domain {

    static final String NOT_ADDRESSABLE =
            "the adapter can't use ordinary memory, as Elan3 can't, and only Elan4 is driven";

    private final ElanJob job;

    ElanDomain(ElanJob job) {
        this.job = job;
    }

    @Override
    public Registration register(long address, long length, boolean readable) {
        if (!job.isAddressable(address, length)) {
            throw new PeerUnavailable(NOT_ADDRESSABLE);
        }
        return new RegisteredMemory(0, 0, () -> {});
    }
}
