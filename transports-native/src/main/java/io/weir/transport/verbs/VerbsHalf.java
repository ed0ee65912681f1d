package io.weir.transport.verbs;

import io.weir.core.WeirException;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import org.jspecify.annotations.Nullable;

/** Our half of a link over verbs, until the peer's is known. */
final class VerbsHalf implements RemoteAgreement.Half {

    private final VerbsOptions options;
    private final VerbsDomain domain;
    private final VerbsWire wire;
    private @Nullable VerbsOffer theirs;

    private VerbsHalf(VerbsOptions options, VerbsDomain domain, VerbsWire wire) {
        this.options = options;
        this.domain = domain;
        this.wire = wire;
    }

    /**
     * Makes it.
     *
     * @throws WeirException if the device can't be opened, or refuses
     */
    static VerbsHalf open(VerbsOptions options) {
        VerbsDevice device = VerbsDevice.acquire(options.choice());
        VerbsDomain domain;
        try {
            domain = VerbsDomain.open(device);
        } finally {
            // The domain holds it.
            device.release();
        }
        try {
            // A slot of ours for each of the peer's, as far as we have as many.
            int slots = options.memory().plan().slots();
            return new VerbsHalf(options, domain, VerbsWire.open(domain, slots, slots));
        } catch (WeirException e) {
            domain.close();
            throw e;
        }
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public Wire wire() {
        return wire;
    }

    @Override
    public SlotPlan plan() {
        return options.memory().plan();
    }

    @Override
    public byte[] offer() {
        return wire.offer(options.memory().plan()).encode();
    }

    @Override
    public SlotPlan read(byte[] offer) {
        VerbsOffer read = VerbsOffer.decode(offer);
        theirs = read;
        return read.plan();
    }

    @Override
    public void join() {
        VerbsOffer offered = theirs;
        if (offered == null) {
            throw new IllegalStateException("joined before the peer's offer was read");
        }
        wire.connect(offered, options.retries());
    }

    /** What joins takes milliseconds, and no peer. */
    @Override
    public void giveUp() {}

    @Override
    public void close() {
        domain.close();
    }
}
