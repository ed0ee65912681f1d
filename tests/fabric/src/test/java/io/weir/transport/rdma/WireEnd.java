package io.weir.transport.rdma;

import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of a connection within this process: slots to send from, then slots to receive into, all registered. */
public final class WireEnd<W extends Wire> implements Wire.Completions, AutoCloseable {

    public static final int SLOTS = 16;
    public static final int SLOT = 8192;

    public final W wire;
    public final Domain domain;
    private final Runnable rest;
    public final ByteBuffer memory;
    /** From one slot to the next: what the wire writes behind a message lies between them. */
    private final int stride;

    private final int slotBytes;
    private @Nullable WireEnd<W> credit;

    public final Domain.Registration registered;
    public final List<Integer> read = new ArrayList<>();
    /** Read by another thread where the peer is bound by it. */
    public volatile long received;

    public long receivedBytes;
    public long receivedSum;
    public long sent;
    public long told;
    public long reports;
    private boolean closed;

    /**
     * Makes one, with all its slots ready and not connected yet.
     *
     * @param rest frees what is left when the wire and the memory are
     */
    public WireEnd(Domain domain, W wire, int slotBytes, Runnable rest) {
        this.domain = domain;
        this.wire = wire;
        this.rest = rest;
        this.slotBytes = slotBytes;
        this.stride = SLOT + wire.trailerBytes();
        this.memory = Structures.allocate(2 * SLOTS * stride);
        this.registered = domain.register(Structures.address(memory), memory.capacity(), true);
        for (int slot = 0; slot < SLOTS; slot++) {
            wire.receive(address() + receiving(slot), registered.localKey(), slotBytes);
        }
    }

    public long address() {
        return Structures.address(memory);
    }

    /** Where the slot of this message begins that it comes into. */
    public long slot(long message) {
        return address() + receiving(message);
    }

    /** Writes what stands behind a slot. */
    public void forge(long message, long word) {
        memory.putLong(receiving(message) + slotBytes, word);
    }

    private int receiving(long slot) {
        return (SLOTS + (int) (slot % SLOTS)) * stride;
    }

    private int sending(long slot) {
        return (int) (slot % SLOTS) * stride;
    }

    /**
     * Whether a slot to send from is free, which is all that bounds what is under way, unless {@link #credit} does: the
     * peer makes its own ready at once.
     */
    public boolean maySend() {
        return sent - told < SLOTS && (credit == null || sent - credit.received < SLOTS);
    }

    /** Has to be told to stop by the peer's slots, as the network would not wait for one. */
    public void boundBy(WireEnd<W> peer) {
        credit = peer;
    }

    /** The first word and the last byte depend on its number. */
    public void send(int bytes, boolean report) {
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
        int slot = receiving(received) + wire.offset(slotBytes, bytes);
        receivedSum += memory.getLong(slot);
        if (bytes > Long.BYTES) {
            check(memory.get(slot + bytes - 1) == (byte) received, "the end of message", received);
        }
        receivedBytes += bytes;
        wire.receive(address() + receiving(received), registered.localKey(), slotBytes);
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

    public void poll() {
        var unused = wire.poll(this);
    }

    @Override
    public void close() {
        close(() -> {});
    }

    /** The same. Tells when the memory is given back. */
    public void close(Runnable told) {
        if (closed) {
            wire.close();
            return;
        }
        closed = true;
        wire.close(() -> {
            told.run();
            registered.close();
            rest.run();
        });
    }
}
