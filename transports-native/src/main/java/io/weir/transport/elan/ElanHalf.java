package io.weir.transport.elan;

import io.weir.core.WeirException;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import org.jspecify.annotations.Nullable;

/** Our half of a link over Elan, until the peer is ready. */
final class ElanHalf implements RemoteAgreement.Half {

    private final ElanJob job;
    /** Of the job, if it was told one. */
    private final String name;

    private final ElanDomain domain;
    private final ElanWire wire;
    private final SlotPlan plan;
    private @Nullable ElanOffer theirs;
    private volatile boolean givenUp;

    private ElanHalf(ElanJob job, String name, ElanDomain domain, ElanWire wire, SlotPlan plan) {
        this.job = job;
        this.name = name;
        this.domain = domain;
        this.wire = wire;
        this.plan = plan;
    }

    /**
     * Makes it.
     *
     * @throws WeirException if this process is not in its job yet, or has too many links
     */
    static ElanHalf open(ElanOptions options) {
        ElanJob job = ElanJob.joined(options.choice());
        SlotPlan plan = options.memory().plan();
        return new ElanHalf(job, options.job(), new ElanDomain(job), ElanWire.open(job, plan.slots()), plan);
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
        return plan;
    }

    @Override
    public byte[] offer() {
        return new ElanOffer(job.membership().vp(), wire.mailbox(), wire.secret(), plan).encode(this::seal);
    }

    @Override
    public SlotPlan read(byte[] offer) {
        ElanOffer read = ElanOffer.decode(offer, job.membership().nvp(), this::seal);
        theirs = read;
        return read.plan();
    }

    private byte[] seal(byte[] offer) {
        return job.membership().seal(name, offer);
    }

    @Override
    public void join() {
        ElanOffer offered = theirs;
        if (offered == null) {
            throw new IllegalStateException("joined before the peer's offer was read");
        }
        wire.join(offered, () -> givenUp);
    }

    @Override
    public void giveUp() {
        givenUp = true;
    }

    @Override
    public void close() {
        // The wire has left the job, and nothing else was opened.
    }
}
