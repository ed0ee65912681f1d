package io.weir.transport.rdma;

import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;

/**
 * The registered memory of one link: the slots that it sends from and those that it receives into, and room into which
 * it reads what finds no room in the pool. Made on any thread, closed once.
 */
public final class LinkMemory implements AutoCloseable {

    /** Bytes of the room through which is read, in pieces, what finds no other. */
    public static final int BOUNCE = 128 << 10;

    private final SlotPlan receiving;
    private final SlotPlan sending;
    private final int trailer;
    private final Mapping mapping;
    private final Domain.Registration registration;

    private LinkMemory(
            SlotPlan receiving, SlotPlan sending, int trailer, Mapping mapping, Domain.Registration registration) {
        this.receiving = receiving;
        this.sending = sending;
        this.trailer = trailer;
        this.mapping = mapping;
        this.registration = registration;
    }

    /**
     * Makes and registers it. Takes milliseconds: never on a loop.
     *
     * @param ours how we receive
     * @param theirs how the peer receives
     * @param trailer bytes behind each slot, for the wire
     * @throws WeirException if there is no memory, or it can't be registered
     */
    public static LinkMemory make(Domain domain, SlotPlan ours, SlotPlan theirs, int trailer) {
        SlotPlan sending =
                new SlotPlan(Math.min(ours.slots(), theirs.slots()), Math.min(ours.slotBytes(), theirs.slotBytes()));
        long length = (long) ours.slots() * (ours.slotBytes() + trailer)
                + (long) sending.slots() * (sending.slotBytes() + trailer)
                + BOUNCE;
        if (length > Integer.MAX_VALUE) {
            throw new PeerUnavailable(
                    length + " bytes for the slots of one link are too many; set fewer or shorter ones");
        }
        Mapping mapping = map((int) length);
        try {
            return new LinkMemory(ours, sending, trailer, mapping, domain.register(mapping.address(), length, false));
        } catch (WeirException e) {
            mapping.release();
            throw e;
        }
    }

    /** Ordinary memory, zeroed, of its own pages. */
    static Mapping map(int length) {
        try {
            return Posix.memory(length);
        } catch (NativeFailure e) {
            throw new PeerUnavailable("there is no memory for a link: " + e.getMessage(), e);
        }
    }

    /** Makes all slots ready that the peer may send into: before the wire can bring anything. */
    public void makeReady(Wire wire) {
        for (int slot = 0; slot < receiving.slots(); slot++) {
            makeReady(wire, slot);
        }
    }

    void makeReady(Wire wire, int slot) {
        wire.receive(mapping.address() + receivingIndex(slot), registration.localKey(), receiving.slotBytes());
    }

    SlotPlan receiving() {
        return receiving;
    }

    SlotPlan sending() {
        return sending;
    }

    Mapping mapping() {
        return mapping;
    }

    int key() {
        return registration.localKey();
    }

    int receivingIndex(int slot) {
        return slot * (receiving.slotBytes() + trailer);
    }

    int sendingIndex(int slot) {
        return receivingIndex(receiving.slots()) + slot * (sending.slotBytes() + trailer);
    }

    int bounceIndex() {
        return sendingIndex(sending.slots());
    }

    /** After the wire was closed. */
    @Override
    public void close() {
        registration.close();
        mapping.release();
    }
}
