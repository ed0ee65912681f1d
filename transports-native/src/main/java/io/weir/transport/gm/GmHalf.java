package io.weir.transport.gm;

import io.weir.core.WeirException;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import org.jspecify.annotations.Nullable;

/** Our half of a link over GM, until the peer is ready. Holds the port. */
final class GmHalf implements RemoteAgreement.Half {

    private final GmPort port;
    private final GmDomain domain;
    private final GmWire wire;
    private final SlotPlan plan;
    private @Nullable GmOffer theirs;
    private volatile boolean givenUp;

    private GmHalf(GmPort port, GmDomain domain, GmWire wire, SlotPlan plan) {
        this.port = port;
        this.domain = domain;
        this.wire = wire;
        this.plan = plan;
    }

    /**
     * Makes it.
     *
     * @throws WeirException if no port can be opened, or it has too many links
     */
    static GmHalf open(GmOptions options) {
        GmPort port = GmPort.acquire(options.choice());
        try {
            GmDomain domain = new GmDomain(port);
            SlotPlan plan = options.memory().plan();
            return new GmHalf(port, domain, GmWire.open(port, domain, plan.slots()), plan);
        } catch (WeirException e) {
            port.release();
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
        return plan;
    }

    @Override
    public byte[] offer() {
        return new GmOffer(port.globalNode(), port.number(), wire.link(), plan).encode();
    }

    @Override
    public SlotPlan read(byte[] offer) {
        GmOffer read = GmOffer.decode(offer);
        theirs = read;
        return read.plan();
    }

    @Override
    public void join() {
        GmOffer offered = theirs;
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
        port.release();
    }
}
