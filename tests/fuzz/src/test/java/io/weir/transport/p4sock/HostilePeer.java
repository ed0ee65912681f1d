package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Nonce;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A peer that was let in, has the keys, and does what a {@link Script} says; with the connection that it talks to, and
 * that connection's user and device. It keeps account of what the connection may do, and looks whether it does that.
 */
final class HostilePeer implements Connection.Outlet, Connection.User {

    static final int PAYLOAD = 200;
    static final int ROOM = 16;
    /** The fewest that there can be. */
    private static final int WINDOW = P4Options.LEAST_FRAGMENTS;

    /** What is kept of fragments that come too early: as many as the queue has places, of the longest that come. */
    private static final long MOST_EARLY = 64 * 256;

    /** Fragments of one frame, so that it is no longer than frames are. */
    private static final int MOST_OF_A_FRAME = 40;

    /** How a frame is added: part of it lies elsewhere; and this many times one less than it has fragments. */
    static final int PIECE = 1;

    static final int FRAGMENTS = 2;

    /** What the first byte of a script says. */
    static final int CONNECTING = 1;

    static final int AT_ONCE = 2;
    private static final int START_SHIFT = 2;
    private static final int[] STARTS = {FrameFormat.FIRST, 0, 0xffff, 0xffe0};

    /** What can be done. */
    static final int DATA = 0;

    static final int ACK = 1;
    static final int SHAKE = 2;
    static final int TIME = 3;
    static final int ADD = 4;
    static final int WANT = 5;
    static final int DEVICE = 6;
    static final int FINISH = 7;
    static final int FREEZE = 8;
    static final int NOISE = 9;
    private static final int DEEDS = 10;

    /** How data is made, beside the flag that it is a message's last. */
    static final int BURST = 2;

    static final int UNSETTLED = 4;
    static final int BADLY_SEALED = 8;
    static final int TOO_LONG = 16;
    private static final int BURST_LENGTH = 8;

    /** Where the window ends, relative to what is acknowledged, if the script says 0. */
    static final int WINDOW_BASE = 64;

    private static final long MILLISECOND = 1_000_000;
    private static final int PEER_INDEX = 4711;
    private static final int OUR_INDEX = 5;
    /** Where frames begin in what they are read from: not at its beginning, as in the ring of a socket. */
    private static final int AT = 8;

    private static final byte[] ONE_NONCE = new byte[Nonce.BYTES];
    private static final byte[] OTHER_NONCE = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    private static final Seal OF_CONNECTING = Seal.of(new Nonce(ONE_NONCE), new Nonce(OTHER_NONCE), true);
    private static final Seal OF_ACCEPTING = Seal.of(new Nonce(ONE_NONCE), new Nonce(OTHER_NONCE), false);

    private final Script script;
    private final Seal seal;
    private final boolean connecting;
    private final long start;
    private final UnpooledByteBufAllocator early = new UnpooledByteBufAllocator(true, true);
    private final UnpooledByteBufAllocator bodies = new UnpooledByteBufAllocator(true, true);
    private final CRC32C sum = new CRC32C();
    private final Connection connection;
    private long now = 1_000_000_000;

    // What the connection has been given.
    private long next;
    private final List<Long> numberOf = new ArrayList<>();
    private final Set<Long> given = new HashSet<>();
    private final Set<Long> emptyOnes = new HashSet<>();
    private final Set<Long> ends = new HashSet<>();
    private long told = Long.MIN_VALUE;

    // What it sends.
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final List<Sent> sent = new ArrayList<>();
    private long first = FrameFormat.FIRST;
    private long fresh = FrameFormat.FIRST;
    private int framesOfCall;
    private int controlsOfCall;

    private boolean wants = true;
    private boolean established;
    private boolean finished;
    private boolean closing;
    private int deviceTakes = Integer.MAX_VALUE;
    private @Nullable WeirException ended;

    /** What was added, by its number from {@link FrameFormat#FIRST} on. */
    private record Sent(long frameBegin, byte[] payload, boolean last) {}

    HostilePeer(Script script) {
        this.script = script;
        int head = script.next();
        this.connecting = (head & CONNECTING) != 0;
        this.start = STARTS[head >>> START_SHIFT & 3];
        this.seal = connecting ? OF_ACCEPTING : OF_CONNECTING;
        this.connection = new Connection(
                new Connection.Setting(
                        OUR_INDEX,
                        1,
                        ByteBuffer.allocate(FrameFormat.ADDRESS),
                        "the peer",
                        PAYLOAD,
                        WINDOW,
                        ROOM,
                        Duration.ofSeconds(2)),
                connecting,
                connecting ? OF_CONNECTING : OF_ACCEPTING,
                this,
                this,
                early);
        connection.begin(now);
        if ((head & AT_ONCE) != 0) {
            shake(connecting ? FrameFormat.SYNACK : FrameFormat.SYN, PEER_INDEX, (int) start, 0);
        }
    }

    /** Does what the script says, and then behaves, so that all that waits has to get through. */
    void play() {
        while (script.hasMore() && ended == null) {
            controlsOfCall = 0;
            framesOfCall = 0;
            act(script.next() % DEEDS);
            check();
        }
        if (stands()) {
            behave();
        }
        checkGivenBack();
    }

    void release() {
        connection.release();
        assertThat(early.metric().usedDirectMemory()).isZero();
        assertThat(bodies.metric().usedDirectMemory()).isZero();
    }

    private void act(int deed) {
        switch (deed) {
            case DATA -> data();
            case ACK -> ack();
            case SHAKE -> {
                int type = script.next() % 5;
                shake(type, script.next() << 8 | script.next(), script.next() << 8 | script.next(), script.next());
            }
            case TIME -> pass(script.next());
            case ADD -> add(1 + script.next() % PAYLOAD, script.next());
            case WANT -> want(!wants);
            case DEVICE -> deviceTakes = script.next();
            case FINISH -> finish();
            case FREEZE -> {
                if (stands()) {
                    connection.freeze();
                    connection.flush(now);
                }
            }
            default -> noise();
        }
    }

    private void check() {
        assertThat(early.metric().usedDirectMemory()).isLessThanOrEqualTo(MOST_EARLY);
        // What one frame of a peer makes us send is bounded by what may be under way at once.
        assertThat(framesOfCall).isLessThanOrEqualTo(2 * ROOM * BURST_LENGTH);
        assertThat(controlsOfCall).isLessThanOrEqualTo(2 * BURST_LENGTH);
        assertThat(connection.isEnded()).isEqualTo(ended != null);
    }

    private boolean stands() {
        return established && ended == null;
    }

    private void data() {
        long number = next + script.signed();
        int length = script.next();
        long acknowledged = fresh - 1 + script.signed();
        long window = acknowledged + script.next() - WINDOW_BASE;
        int flags = script.next();
        for (int i = 0; i < ((flags & BURST) != 0 ? BURST_LENGTH : 1) && ended == null; i++) {
            data(number + i, length, acknowledged, window, flags);
        }
    }

    private void data(long number, int length, long acknowledged, long window, int flags) {
        byte[] payload = payload(number, length);
        boolean last = (flags & FrameFormat.LAST) != 0;
        boolean sound = (flags & (BADLY_SEALED | TOO_LONG)) == 0;
        ByteBuffer frame = ByteBuffer.allocate(AT + FrameFormat.DATA + payload.length + Seal.BYTES)
                .order(ByteOrder.nativeOrder());
        FrameFormat.number(frame, AT + FrameFormat.INDEX, OUR_INDEX);
        FrameFormat.number(frame, AT + FrameFormat.SEQUENCE, number);
        FrameFormat.number(frame, AT + FrameFormat.ACKNOWLEDGED, acknowledged);
        FrameFormat.number(frame, AT + FrameFormat.WINDOW, window);
        FrameFormat.number(
                frame, AT + FrameFormat.LENGTH, payload.length + ((flags & TOO_LONG) != 0 ? 1 + (number & 0xff) : 0));
        FrameFormat.number(frame, AT + FrameFormat.FLAGS, flags & FrameFormat.LAST);
        frame.put(AT + FrameFormat.DATA, payload);
        sum.reset();
        sum.update(payload);
        long mark = seal.ofData(number, frame, AT, (int) sum.getValue());
        frame.putLong(
                AT + FrameFormat.DATA + payload.length,
                (flags & BADLY_SEALED) != 0 ? mark ^ 1L << (number & 63) : mark);
        if (stands() && sound) {
            given.add(number);
            if (payload.length == 0) {
                var unused = last ? ends.add(number) : emptyOnes.add(number);
            }
            acknowledges(acknowledged);
        }
        long before = next;
        long forged = connection.forged();
        connection.data(frame, Unpooled.wrappedBuffer(frame), AT, frame.capacity() - AT, now);
        if (!sound) {
            assertThat(next).isEqualTo(before);
            assertThat(connection.forged()).isEqualTo(forged + (stands() && (flags & TOO_LONG) == 0 ? 1 : 0));
        }
        if ((flags & UNSETTLED) == 0) {
            connection.settle(now);
        }
    }

    /** What tells each fragment from all others, so that it is known which number it had. */
    private byte[] payload(long number, int length) {
        if (length < Short.BYTES) {
            return new byte[0];
        }
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) number);
        payload[0] = (byte) (numberOf.size() >>> 8);
        payload[1] = (byte) numberOf.size();
        numberOf.add(number);
        return payload;
    }

    /** As the connection has to understand it. */
    private void acknowledges(long number) {
        long last = FrameFormat.nearest(first - 1, (int) number & 0xffff);
        if (last < fresh && last >= first) {
            first = last + 1;
        }
    }

    private void ack() {
        long acknowledged = fresh - 1 + script.signed();
        long window = acknowledged + script.next() - WINDOW_BASE;
        int resend = script.next();
        int ranges = script.next() % 48;
        long[] bounds = new long[2 * ranges];
        for (int i = 0; i < ranges; i++) {
            bounds[2 * i] = fresh - 1 + script.signed();
            bounds[2 * i + 1] = bounds[2 * i] + script.signed();
        }
        ack(acknowledged, window, resend, bounds);
        connection.settle(now);
    }

    private void ack(long acknowledged, long window, int resend, long... ranges) {
        int length = FrameFormat.ACK_RANGE + ranges.length * Short.BYTES;
        ByteBuffer frame = control(FrameFormat.ACK, length);
        FrameFormat.number(frame, AT + FrameFormat.ACK_ACKNOWLEDGED, acknowledged);
        FrameFormat.number(frame, AT + FrameFormat.ACK_WINDOW, window);
        FrameFormat.number(frame, AT + FrameFormat.ACK_RESEND, resend);
        FrameFormat.number(frame, AT + FrameFormat.ACK_RANGES, ranges.length / 2);
        for (int i = 0; i < ranges.length; i++) {
            FrameFormat.number(frame, AT + FrameFormat.ACK_RANGE + i * Short.BYTES, ranges[i]);
        }
        long number = FrameFormat.nearest(first - 1, (int) acknowledged & 0xffff);
        seal(frame, number, length);
        if (stands()) {
            acknowledges(acknowledged);
            closing |= (resend & FrameFormat.CLOSING) != 0;
        }
        connection.control(frame, AT, frame.capacity() - AT, now);
    }

    private void shake(int type, int from, int sequence, int error) {
        int length = type == FrameFormat.SYN ? FrameFormat.SYN_BYTES : FrameFormat.SYNACK_BYTES;
        ByteBuffer frame = control(type, length);
        if (type == FrameFormat.SYN) {
            FrameFormat.number(frame, AT + FrameFormat.SAID, from);
            FrameFormat.number(frame, AT + FrameFormat.SYN_SEQUENCE, sequence);
        } else {
            FrameFormat.number(frame, AT + FrameFormat.SYNACK_FROM, from);
            FrameFormat.number(frame, AT + FrameFormat.SYNACK_SEQUENCE, sequence);
            FrameFormat.number(frame, AT + FrameFormat.SYNACK_ACKNOWLEDGED, FrameFormat.FIRST);
            FrameFormat.number(frame, AT + FrameFormat.SYNACK_ERROR, error);
        }
        seal(frame, 0, length);
        if (!established) {
            next = sequence;
        }
        connection.control(frame, AT, frame.capacity() - AT, now);
        connection.settle(now);
    }

    /** A control frame of bytes that nobody has sealed. */
    private void noise() {
        int length = FrameFormat.ACK_BYTES + script.next() % 64;
        ByteBuffer frame = control(script.next() % 5, length - Seal.BYTES);
        for (int at = Short.BYTES; at < length; at++) {
            frame.put(AT + at, (byte) script.next());
        }
        long before = first;
        connection.control(frame, AT, length, now);
        connection.settle(now);
        assertThat(first).isEqualTo(before);
    }

    private static ByteBuffer control(int type, int length) {
        ByteBuffer frame = ByteBuffer.allocate(AT + length + Seal.BYTES).order(ByteOrder.nativeOrder());
        FrameFormat.number(frame, AT, type);
        FrameFormat.number(frame, AT + FrameFormat.SAID, OUR_INDEX);
        return frame;
    }

    private void seal(ByteBuffer frame, long number, int length) {
        frame.putLong(AT + length, seal.ofControl(number, frame, AT, length));
    }

    /** So many quarters of a millisecond pass, or all the time until something is due. */
    private void pass(int quarters) {
        long until = quarters < 128 ? now + quarters * MILLISECOND / 4 : connection.deadline();
        if (until == Long.MAX_VALUE) {
            return;
        }
        now = Math.max(now, until);
        boolean due = connection.deadline() <= now;
        connection.timePassed(now);
        if (due) {
            // Or else the loop would do nothing but look here.
            assertThat(connection.deadline()).isGreaterThan(now);
        }
    }

    /** A frame of one or more fragments, which are all added before any of them is sent. */
    private void add(int length, int how) {
        if (!connection.isOpen() || connection.isFull()) {
            return;
        }
        long frameBegin = stream.size();
        int count = 1 + how / FRAGMENTS % MOST_OF_A_FRAME;
        for (int i = 0; i < count; i++) {
            add(frameBegin, length, (how & PIECE) != 0, i == count - 1);
        }
        connection.flush(now);
    }

    private void add(long frameBegin, int length, boolean inPieces, boolean last) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) sent.size());
        Fragment fragment = connection.pool().take();
        fragment.begin(stream.size(), frameBegin);
        int written = inPieces ? length / 2 : length;
        fragment.bytes().writeBytes(payload, 0, written);
        if (written < length) {
            ByteBuf piece = bodies.directBuffer(length).writeBytes(payload);
            fragment.piece(piece, written, length - written);
            piece.release();
        }
        sent.add(new Sent(frameBegin, payload, last));
        stream.writeBytes(payload);
        connection.add(fragment, last);
    }

    private void want(boolean wanted) {
        wants = wanted;
        if (wants && stands()) {
            connection.wanted(now);
        }
    }

    private void finish() {
        if (stands() && !finished) {
            finished = true;
            sent.add(new Sent(Long.MAX_VALUE, new byte[0], true));
            connection.finish();
            connection.flush(now);
        }
    }

    /** From here on the peer is a good one: whatever it did before, nothing may be stuck. */
    private void behave() {
        deviceTakes = Integer.MAX_VALUE;
        want(true);
        for (int round = 0; round < 400 && stands() && !closing && !connection.hasArrived(); round++) {
            ack(fresh - 1, fresh - 1 + ROOM, 0);
            connection.settle(now);
            pass(255);
            framesOfCall = 0;
            controlsOfCall = 0;
        }
        assertThat(!stands() || closing || connection.hasArrived())
                .as("all has arrived")
                .isTrue();
        long until = next + 2L * WINDOW;
        while (stands() && next < until && !ends.contains(next)) {
            long before = next;
            data(next, Short.BYTES, fresh - 1, fresh - 1 + ROOM, 0);
            assertThat(ended != null || next > before).as("fragment was taken").isTrue();
        }
    }

    private void checkGivenBack() {
        ByteBuf back = Unpooled.buffer();
        connection.giveBack(back::writeBytes);
        byte[] whole = stream.toByteArray();
        int unsaid = (int) (first - FrameFormat.FIRST);
        long from = unsaid == sent.size()
                ? whole.length
                : Math.min(whole.length, sent.get(unsaid).frameBegin());
        assertThat(ByteBufUtil.getBytes(back)).isEqualTo(Arrays.copyOfRange(whole, (int) from, whole.length));
    }

    @Override
    public int send(Fragment[] batch, int count) {
        int taken = Math.min(count, deviceTakes);
        for (int i = 0; i < taken; i++) {
            framesOfCall++;
            goesOut(batch[i]);
        }
        return taken;
    }

    private void goesOut(Fragment fragment) {
        ByteBuf payload = Unpooled.buffer();
        fragment.give(0, payload::writeBytes);
        byte[] bytes = ByteBufUtil.getBytes(payload);
        ByteBuffer memory = fragment.memory;
        int header = Fragment.HEADER;
        long number = FrameFormat.nearest(first, FrameFormat.number(memory, header + FrameFormat.SEQUENCE));
        assertThat(number).isBetween(first, fresh);
        fresh = Math.max(fresh, number + 1);
        Sent expected = sent.get((int) (number - FrameFormat.FIRST));
        assertThat(bytes).isEqualTo(expected.payload());
        assertThat(FrameFormat.number(memory, header + FrameFormat.LENGTH)).isEqualTo(bytes.length);
        assertThat(FrameFormat.number(memory, header + FrameFormat.FLAGS)).isEqualTo(expected.last() ? 1 : 0);
        sum.reset();
        sum.update(bytes);
        long mark = memory.getLong(Fragment.PAYLOAD + fragment.written());
        assertThat(seal.matchesData(mark, number, memory, header, (int) sum.getValue()))
                .isTrue();
        told(FrameFormat.number(memory, header + FrameFormat.ACKNOWLEDGED));
    }

    @Override
    public void control(ByteBuffer frame, int length) {
        controlsOfCall++;
        if (FrameFormat.number(frame, 0) != FrameFormat.ACK) {
            return;
        }
        told(FrameFormat.number(frame, FrameFormat.ACK_ACKNOWLEDGED));
        int ranges = FrameFormat.number(frame, FrameFormat.ACK_RANGES);
        assertThat(ranges).isLessThanOrEqualTo(ReceiveQueue.RANGES);
        assertThat(length).isEqualTo(FrameFormat.ACK_RANGE + ranges * FrameFormat.RANGE_BYTES + Seal.BYTES);
        for (int i = 0; i < ranges; i++) {
            int at = FrameFormat.ACK_RANGE + i * FrameFormat.RANGE_BYTES;
            long from = FrameFormat.nearest(next, FrameFormat.number(frame, at));
            long to = FrameFormat.nearest(next, FrameFormat.number(frame, at + Short.BYTES));
            assertThat(from).isLessThanOrEqualTo(to);
            for (long number = from; number <= to; number++) {
                assertThat(given).contains(number);
            }
        }
    }

    /** Nothing is said to have come that was not delivered, and what was said once is not taken back. */
    private void told(int lowest) {
        long last = FrameFormat.nearest(next - 1, lowest);
        if (!ends.contains(next)) {
            assertThat(last).isLessThan(next);
        }
        assertThat(last).isGreaterThanOrEqualTo(told);
        told = last;
    }

    @Override
    public boolean wants() {
        return wants;
    }

    @Override
    public void fragment(ByteBuf payload, boolean last) {
        assertThat(wants).isTrue();
        assertThat(ended).isNull();
        if (payload.readableBytes() == 0) {
            assertThat(emptyOnes).contains(next);
        } else {
            byte[] bytes = ByteBufUtil.getBytes(payload);
            int serial = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
            assertThat(numberOf.get(serial)).isEqualTo(next);
            for (int at = Short.BYTES; at < bytes.length; at++) {
                assertThat(bytes[at]).isEqualTo((byte) next);
            }
        }
        next++;
    }

    @Override
    public void established() {
        assertThat(established).isFalse();
        established = true;
    }

    @Override
    public void ended(WeirException reason) {
        assertThat(ended).isNull();
        ended = reason;
    }
}
