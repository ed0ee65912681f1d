package io.weir.transport.verbs;

import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** One end of a connection within this process: slots to send from, then slots to receive into, all registered. */
final class WireEnd implements Wire.Completions, AutoCloseable {

    static final int SLOTS = 16;
    static final int SLOT = 8192;

    /** A dead peer is found out in milliseconds. */
    static final VerbsOptions.Retries SOON = new VerbsOptions.Retries(10, 2);

    final VerbsDomain domain;
    final VerbsWire wire;
    final ByteBuffer memory = Structures.allocate(2 * SLOTS * SLOT);
    final Domain.Registration registered;
    final List<Integer> read = new ArrayList<>();
    long received;
    long receivedBytes;
    long receivedSum;
    long sent;
    long told;
    long reports;

    private WireEnd(VerbsDevice device) {
        this.domain = VerbsDomain.open(device);
        this.wire = VerbsWire.open(domain, SLOTS, SLOTS);
        this.registered = domain.register(Structures.address(memory), memory.capacity(), true);
    }

    /** Both ends of a connection, all slots ready. */
    static WireEnd[] pair() {
        return pair(SLOT);
    }

    static WireEnd[] pair(int slotBytes) {
        VerbsDevice device = VerbsDevice.acquire(Guest.ANY);
        WireEnd one = new WireEnd(device);
        WireEnd other = new WireEnd(device);
        device.release();
        for (int slot = 0; slot < SLOTS; slot++) {
            one.ready(slot, slotBytes);
            other.ready(slot, slotBytes);
        }
        one.connect(other);
        other.connect(one);
        return new WireEnd[] {one, other};
    }

    private void connect(WireEnd other) {
        byte[] offer = other.wire.offer(new SlotPlan(SLOTS, 40 << 10)).encode();
        wire.connect(VerbsOffer.decode(offer), SOON);
    }

    private void ready(int slot, int bytes) {
        wire.receive(address() + receiving(slot), registered.localKey(), bytes);
    }

    long address() {
        return Structures.address(memory);
    }

    private static int receiving(long slot) {
        return (SLOTS + (int) (slot % SLOTS)) * SLOT;
    }

    private static int sending(long slot) {
        return (int) (slot % SLOTS) * SLOT;
    }

    /** Whether a slot to send from is free, which is all that bounds what is under way: the peer makes its own ready at once. */
    boolean maySend() {
        return sent - told < SLOTS;
    }

    /** The first word and the last byte depend on its number. */
    void send(int bytes, boolean report) {
        check(maySend(), "the time to send message", sent);
        int slot = sending(sent);
        memory.putLong(slot, word(sent)).put(slot + bytes - 1, (byte) sent);
        wire.send(address() + slot, registered.localKey(), bytes, report);
        sent++;
    }

    private static long word(long number) {
        return number * 0x9e3779b97f4a7c15L;
    }

    @Override
    public void received(int bytes) {
        int slot = receiving(received);
        receivedSum += memory.getLong(slot);
        if (bytes > Long.BYTES) {
            check(memory.get(slot + bytes - 1) == (byte) received, "the end of message", received);
        }
        receivedBytes += bytes;
        wire.receive(address() + slot, registered.localKey(), SLOT);
        received++;
    }

    @Override
    public void sent(long number) {
        check(number > told && number <= sent, "the report of message", number);
        told = number;
        reports++;
    }

    /** Asked so often that an assertion in words would take most of the time. */
    private static void check(boolean right, String what, long number) {
        if (!right) {
            throw new AssertionError(what + " " + number + " is wrong");
        }
    }

    @Override
    public void read(int token) {
        read.add(token);
    }

    void poll() {
        var unused = wire.poll(this);
    }

    @Override
    public void close() {
        wire.close();
        registered.close();
        domain.close();
    }
}
