package io.weir.transport.rdma;

import static io.weir.transport.nativelib.Bytes.LONGS;

import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Bytes;
import java.nio.ByteBuffer;

/**
 * The slots that we send from, in turn. A slot is used again when the peer has given it back, which says that it has
 * delivered what was in it, and when our own device is done with it: until then what was not delivered can be read
 * back. Belongs to the loop's thread.
 *
 * <p>The last slot is used only to give slots back, among other things. Were both sides to use their last one without
 * that, neither could ever say again that it has received anything.
 */
final class SendingSlots {

    private final LinkMemory place;
    private final Wire wire;
    private final int slots;
    private final int slotBytes;
    private final int key;
    private ByteBuffer memory;

    /** By slot: how many bytes were sent. */
    private final int[] lengths;

    /** How many slots were opened since the beginning; the last one may be open still. */
    private long opened;

    private long sent;
    /** The last message that has to arrive before the link can end. */
    private long toArrive;
    /** Of these our device is done with so many. */
    private long done;
    /** And so many has the peer given back. */
    private long returned;

    /** Where the next record goes if a slot is open; else 0. */
    private int at;

    private int start;
    private int blocks;

    SendingSlots(LinkMemory place, Wire wire) {
        this.place = place;
        this.wire = wire;
        this.slots = place.sending().slots();
        this.slotBytes = place.sending().slotBytes();
        this.key = place.key();
        this.memory = place.mapping().memory();
        this.lengths = new int[slots];
    }

    /** Whether a slot is open and has room for a record of this many bytes. */
    boolean fits(int bytes) {
        return at != 0 && at + bytes <= start + slotBytes;
    }

    /** Whether a slot can be opened now, while we have so many of the peer's to give back. None must be open. */
    boolean mayOpen(int owed) {
        long free = slots - (opened - returned);
        return opened - done < slots && (free >= 2 || (free == 1 && owed > 0));
    }

    /** Opens one. It must be possible. */
    void open() {
        start = place.sendingIndex((int) (opened % slots));
        at = start + SlotLayout.RECORDS;
        blocks = 0;
        opened++;
    }

    /** Whether a slot is open, and so something is to be sent. */
    boolean isOpen() {
        return at != 0;
    }

    /**
     * Sends the open slot.
     *
     * @param owed how many slots it gives back
     * @param last whether its arrival has to be known, as nothing may follow
     */
    void send(int owed, boolean last) {
        LONGS.set(memory, start, (owed & 0xffff_ffffL) | (long) blocks << 32);
        int bytes = at - start;
        lengths[(int) (sent % slots)] = bytes;
        at = 0;
        sent++;
        if (last) {
            toArrive = sent;
        }
        boolean report = last || sent % (slots / 4) == 0;
        wire.send(place.mapping().address() + start, key, bytes, report);
    }

    /** Our device is done with the messages up to this number. */
    void done(long number) {
        done = Math.max(done, number);
    }

    /** Whether what was sent as the last message has arrived, if one was. */
    boolean hasArrived() {
        return done >= toArrive;
    }

    /**
     * The peer gives back so many slots.
     *
     * @throws ProtocolMismatch if it did not have them
     */
    void returned(int count) {
        if (count < 0 || count > sent - returned) {
            throw new ProtocolMismatch(
                    "the peer gives back " + Integer.toUnsignedString(count) + " slots of " + (sent - returned));
        }
        returned += count;
    }

    /** Writes a record that has no body. There must be room. */
    void mark(int flag, int aux) {
        LONGS.set(memory, at, FrameLayout.word0(0, flag, 0, 0));
        LONGS.set(memory, at + 8, FrameLayout.word1(0, aux));
        at += SlotLayout.MARK;
    }

    /** Bytes of this frame with its body. */
    static int size(Frame frame) {
        return (int) FrameLayout.size(frame.kind().words(), frame.length());
    }

    /** Bytes of this frame if its body lies in a block. */
    static int sizeOfDescription(Frame frame) {
        return (int) FrameLayout.size(frame.kind().words(), SlotLayout.BLOCK_WORDS + frame.control().length);
    }

    /** Writes this frame with its body, which is not released. There must be room. */
    void write(Frame frame) {
        int controlLength = frame.control().length;
        int bodyLength = frame.bodyLength();
        int rest = head(frame, frame.flags(), controlLength + bodyLength);
        control(frame, rest);
        if (frame.isLent()) {
            Bytes.copy(frame.content().bytes(), 0, memory, rest + controlLength, bodyLength);
        } else if (bodyLength != 0) {
            Bytes.copy(frame.body(), memory, rest + controlLength, bodyLength);
        }
        at += size(frame);
    }

    /** Writes this frame, whose body the peer reads from there. There must be room. */
    void write(Frame frame, RegisteredPool.Place body, int number) {
        int bodyLength = frame.bodyLength();
        int controlLength = frame.control().length;
        int rest = head(frame, frame.flags() | SlotLayout.BLOCK, SlotLayout.BLOCK_WORDS + controlLength);
        LONGS.set(memory, rest, body.address());
        LONGS.set(memory, rest + 8, (body.remoteKey() & 0xffff_ffffL) | (long) bodyLength << 32);
        LONGS.set(memory, rest + 16, number & 0xffff_ffffL);
        control(frame, rest + SlotLayout.BLOCK_WORDS);
        at += sizeOfDescription(frame);
        blocks++;
    }

    private int head(Frame frame, int flags, int length) {
        LONGS.set(memory, at, FrameLayout.word0(frame.kind().code(), flags, frame.control().length, length));
        LONGS.set(memory, at + 8, frame.word1());
        int words = frame.kind().words();
        if (words > 0) {
            LONGS.set(memory, at + FrameLayout.HEADER, frame.first());
        }
        if (words > 1) {
            LONGS.set(memory, at + FrameLayout.HEADER + 8, frame.second());
        }
        return at + FrameLayout.HEADER + 8 * words;
    }

    private void control(Frame frame, int index) {
        byte[] control = frame.control();
        if (control.length != 0) {
            Bytes.copy(control, 0, memory, index, control.length);
        }
    }

    /** The first message that the peer has not given back yet, and the one after the last, the open one included. */
    long firstKept() {
        return returned;
    }

    long lastKept() {
        return opened;
    }

    /** Puts a reader to the beginning of the message of this number, counted from 0, which is kept. */
    void begin(SlotReader reader, long number) {
        int slot = (int) (number % slots);
        int bytes = at != 0 && number == opened - 1 ? at - start : lengths[slot];
        reader.begin(place.sendingIndex(slot), bytes);
    }

    /** Gives up the way to the memory: what is called after this fails, without touching anything. */
    void end(ByteBuffer nothing) {
        memory = nothing;
    }
}
