package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.stream.Greeting;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One connection: the protocol, without a socket and without a clock of its own. It is given frames and the time, and
 * tells its {@link Outlet} what to send. Belongs to the loop's thread. Times are in nanoseconds.
 *
 * <p>Without a {@link Seal} it speaks as a host of ParaStation does. With one it takes only frames of its peer, and
 * tells and hears which fragments have come out of order.
 */
final class Connection {

    /** Where frames go. */
    interface Outlet {

        /**
         * Sends fragments, each behind the header of Ethernet that it stands under. Returns how many the device has
         * taken.
         *
         * @throws WeirException if none can be sent from here any more
         */
        int send(Fragment[] batch, int count);

        /** Sends a control frame of so many bytes to the peer, which may be lost on its way. */
        void control(ByteBuffer frame, int length);
    }

    /** Who uses it. May call everything but what is given frames or the time. */
    interface User {

        /** Whether {@link #fragment} may be called. */
        boolean wants();

        /** The readable bytes are the next ones; they are valid during the call, and stay the caller's. */
        void fragment(ByteBuf payload, boolean last);

        /** Both sides know each other. */
        void established();

        /** The connection has ended; nothing more is called. */
        void ended(WeirException reason);
    }

    /**
     * How it is set.
     *
     * @param index ours
     * @param name what the accepting side is asked for, its first byte highest
     * @param address where that is, as it stands in a SYN
     * @param peer for people
     * @param payload the longest that we send
     * @param window fragments that may be on their way to us
     * @param room fragments of ours that may wait
     * @param silence after this time without progress the peer counts as lost
     */
    record Setting(
            int index,
            long name,
            ByteBuffer address,
            String peer,
            int payload,
            int window,
            int room,
            Duration silence) {}

    private enum State {
        /** The other side has to begin. */
        LISTENING,
        /** We have begun. */
        SYN_SENT,
        ESTABLISHED,
        /** Our last fragment is added. */
        FINISHED,
        ENDED
    }

    /** An acknowledgement waits so long for data that goes the same way. */
    private static final long ACK_DELAY = 1_000_000;

    /** But not when so many fragments wait for it. */
    private static final int MOST_UNTOLD = 20;

    /** What a frame of the longest body and control data takes, with all that stands around it. */
    private static final int LONGEST_FRAME = Greeting.MAX_FRAME + 64;

    private static final int LONGEST_CONTROL = 256;

    /**
     * What waits to be sent for the first time is still in the processor's cache when its turn comes, if it is no more
     * than this.
     */
    private static final int MOST_UNSENT = 512 << 10;

    /** A SYN is repeated after a wait that doubles up to this one: at first the other side may just not be ready. */
    private static final long LONGEST_SYN_WAIT = 50_000_000;

    private static final long SYN_WAIT = 1_000_000;

    /** A peer that is heard, but of what we send has nothing, has so many times the time of one that is not heard. */
    private static final int PATIENCE = 4;

    private final Setting setting;
    private final Outlet outlet;
    private final @Nullable Seal seal;
    private final @Nullable CRC32C sum;
    private final FragmentPool pool;
    private final SendQueue sending;
    private final ReceiveQueue receiving;
    private final SendQueue.Outlet sealing = this::sendSealed;
    private final ByteBuffer control;
    private final long silenceNanos;
    private final boolean connects;
    private final long nameWord;

    private User user;
    private State state;
    private boolean answered;
    private long heardAt;
    private int peerIndex;
    private int untold;
    private boolean ackDue;
    private boolean gap;
    private long frozen = Long.MAX_VALUE;
    private long ackAt = Long.MAX_VALUE;
    private long synAt;
    private long synWait = SYN_WAIT;
    private long begunAt;
    private boolean stuck;
    private boolean finHeard;
    private boolean peerCloses;
    private volatile long forged;

    /** @param seal null to speak to a host of ParaStation */
    Connection(
            Setting setting,
            boolean connecting,
            @Nullable Seal seal,
            Outlet outlet,
            User user,
            ByteBufAllocator early) {
        this.setting = setting;
        this.seal = seal;
        this.sum = seal == null ? null : new CRC32C();
        this.outlet = outlet;
        this.user = user;
        int spare = 2 * (LONGEST_FRAME / setting.payload() + 2);
        this.pool = new FragmentPool(setting.payload(), setting.room() + spare);
        this.sending = new SendQueue(setting.room(), Math.max(2, MOST_UNSENT / setting.payload()), spare, pool);
        this.receiving = new ReceiveQueue(setting.window(), early);
        this.control =
                Structures.allocate(FrameFormat.DATA + Math.max(setting.payload(), LONGEST_CONTROL) + Seal.BYTES);
        this.silenceNanos = setting.silence().toNanos();
        this.connects = connecting;
        this.nameWord = ByteBuffer.allocate(FrameFormat.NAME)
                .putLong(0, setting.name())
                .order(control.order())
                .getLong(0);
        this.state = connecting ? State.SYN_SENT : State.LISTENING;
    }

    int payload() {
        return setting.payload();
    }

    FragmentPool pool() {
        return pool;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Whether what is added now is not refused; it goes out when the connection stands. */
    boolean isOpen() {
        return state != State.FINISHED && state != State.ENDED;
    }

    /** Whether too much waits already. */
    boolean isFull() {
        return sending.isFull();
    }

    /** Whether there is much room again. */
    boolean isRoomy() {
        return sending.isRoomy();
    }

    /** Whether the other side has everything. */
    boolean hasArrived() {
        return sending.isEmpty();
    }

    /** Whether the device has taken less than there was to send. */
    boolean isStuck() {
        return stuck;
    }

    /** How many frames were for this connection and not of its peer. Any thread may ask. */
    long forged() {
        return forged;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes it.
    private void reject() {
        forged++;
    }

    /** From now on this uses it. */
    void user(User next) {
        user = next;
    }

    /** Nothing of what comes from now on is told to have come. */
    void freeze() {
        frozen = Math.min(frozen, receiving.next());
        ackDue = true;
    }

    private boolean isFrozen() {
        return frozen != Long.MAX_VALUE;
    }

    private long nextTold() {
        return Math.min(frozen, receiving.next());
    }

    private long windowTold() {
        return Math.min(frozen - receiving.next(), 0) + receiving.windowEnd();
    }

    /** Begins. */
    void begin(long now) {
        begunAt = now;
        if (state == State.SYN_SENT) {
            sendSyn(now);
        }
    }

    /** Adds a fragment, which belongs to the connection from here on. {@link #flush} sends it. */
    void add(Fragment fragment, boolean last) {
        fragment.finish(last, sum);
        sending.add(fragment);
    }

    /** Adds the end: nothing follows. */
    void finish() {
        if (!isOpen()) {
            return;
        }
        boolean stands = state == State.ESTABLISHED;
        state = State.FINISHED;
        if (stands) {
            Fragment end = pool.take();
            end.begin(Long.MAX_VALUE, Long.MAX_VALUE);
            add(end, true);
        }
    }

    /** Sends what may be sent. */
    void flush(long now) {
        if (state != State.ESTABLISHED && state != State.FINISHED) {
            return;
        }
        try {
            stuck = !sending.send(sealing, now);
            sending.awaitOpening(now);
            if (ackDue) {
                sendAck();
            }
        } catch (WeirException e) {
            end(e);
        }
    }

    private int sendSealed(Fragment[] batch, long[] numbers, int count) {
        for (int i = 0; i < count; i++) {
            Fragment fragment = batch[i];
            ByteBuffer memory = fragment.memory;
            int header = Fragment.HEADER;
            FrameFormat.number(memory, header + FrameFormat.INDEX, peerIndex);
            FrameFormat.number(memory, header + FrameFormat.SEQUENCE, numbers[i]);
            FrameFormat.number(memory, header + FrameFormat.ACKNOWLEDGED, nextTold() - 1);
            FrameFormat.number(memory, header + FrameFormat.WINDOW, windowTold());
            FrameFormat.number(memory, header + FrameFormat.LENGTH, fragment.length());
            FrameFormat.number(memory, header + FrameFormat.FLAGS, fragment.isLast() ? FrameFormat.LAST : 0);
            if (seal != null) {
                memory.putLong(
                        Fragment.PAYLOAD + fragment.written(),
                        seal.ofData(numbers[i], memory, header, fragment.checksum()));
            }
        }
        int taken = outlet.send(batch, count);
        // Data says neither that something is missing nor that this side closes.
        if (taken > 0 && !gap && !isFrozen()) {
            told();
        }
        return taken;
    }

    private void told() {
        untold = 0;
        ackDue = false;
        ackAt = Long.MAX_VALUE;
    }

    /**
     * Data has come: a frame whose header of data begins here, with so many bytes from there on. The view shows the
     * same memory.
     */
    void data(ByteBuffer frame, ByteBuf view, int at, int available, long now) {
        int length = FrameFormat.number(frame, at + FrameFormat.LENGTH);
        int trailer = seal == null ? 0 : Seal.BYTES;
        if (available < FrameFormat.DATA || FrameFormat.DATA + length + trailer > available || !stands()) {
            return;
        }
        long number = FrameFormat.nearest(receiving.next(), FrameFormat.number(frame, at + FrameFormat.SEQUENCE));
        if (seal != null && !isSealed(seal, frame, at, length, number)) {
            reject();
            return;
        }
        heard(now);
        boolean last = (FrameFormat.number(frame, at + FrameFormat.FLAGS) & FrameFormat.LAST) != 0;
        receive(frame, view, at + FrameFormat.DATA, length, number, last);
        if (state != State.ENDED) {
            long acknowledged = acknowledged(frame, at + FrameFormat.ACKNOWLEDGED, now);
            sending.settle(acknowledged, now);
            untold++;
            delayAck(now);
        }
    }

    private boolean stands() {
        return state == State.ESTABLISHED || state == State.FINISHED;
    }

    private boolean isSealed(Seal keys, ByteBuffer frame, int at, int length, long number) {
        CRC32C checked = sum;
        if (checked == null) {
            return false;
        }
        int from = at + FrameFormat.DATA;
        checked.reset();
        checked.update(frame.duplicate().limit(from + length).position(from));
        long found = frame.getLong(from + length);
        return keys.matchesData(found, number, frame, at, (int) checked.getValue());
    }

    private void receive(ByteBuffer frame, ByteBuf view, int from, int length, long number, boolean last) {
        if (number == receiving.next() && !receiving.hasNext() && user.wants()) {
            receiving.delivered();
            deliver(view.setIndex(from, from + length), last);
            drain();
        } else if (receiving.isUseless(number)) {
            ackDue = true;
        } else {
            receiving.keep(number, frame, from, length, last);
            drain();
        }
        gap = receiving.hasEarly() && !receiving.hasNext();
        ackDue |= gap;
    }

    private void deliver(ByteBuf payload, boolean last) {
        if (!payload.isReadable() && last) {
            finHeard = true;
            ackDue = true;
        } else if (!finHeard && state != State.ENDED) {
            user.fragment(payload, last);
        }
    }

    /** Delivers what has come early and is wanted now. */
    private void drain() {
        while (state != State.ENDED && receiving.hasNext() && user.wants()) {
            boolean last = receiving.isNextLast();
            ByteBuf payload = receiving.takeNext();
            try {
                deliver(payload, last);
            } finally {
                payload.release();
            }
        }
    }

    /** The user wants fragments from now on. */
    void wanted(long now) {
        long before = receiving.next();
        drain();
        if (receiving.next() != before) {
            gap = receiving.hasEarly() && !receiving.hasNext();
            ackDue = true;
            flush(now);
            endIfFinished();
        }
    }

    private void delayAck(long now) {
        if (untold >= MOST_UNTOLD) {
            ackDue = true;
        } else if (ackAt == Long.MAX_VALUE) {
            ackAt = now + ACK_DELAY;
        }
    }

    private long acknowledged(ByteBuffer frame, int at, long now) {
        long last = FrameFormat.nearest(sending.first() - 1, FrameFormat.number(frame, at));
        long window = FrameFormat.nearest(last, FrameFormat.number(frame, at + Short.BYTES));
        if (!sending.acknowledged(last, window, now)) {
            reject();
        }
        return last + 1;
    }

    /** A control frame for this connection has come: it begins here and has so many bytes, or more. */
    void control(ByteBuffer frame, int at, int available, long now) {
        switch (FrameFormat.number(frame, at)) {
            case FrameFormat.SYN -> syn(frame, at, available, now);
            case FrameFormat.SYNACK -> synack(frame, at, available, now);
            case FrameFormat.ACK -> ack(frame, at, available, now);
            default -> reject();
        }
    }

    private boolean isControlSealed(long number, ByteBuffer frame, int at, int length, int available) {
        if (seal == null) {
            return length <= available;
        }
        boolean sealed = length + Seal.BYTES <= available
                && seal.matchesControl(frame.getLong(at + length), number, frame, at, length);
        if (!sealed) {
            reject();
        }
        return sealed;
    }

    private void syn(ByteBuffer frame, int at, int available, long now) {
        if (state == State.SYN_SENT
                || state == State.ENDED
                || !isControlSealed(0, frame, at, FrameFormat.SYN_BYTES, available)) {
            return;
        }
        int from = FrameFormat.number(frame, at + FrameFormat.SAID);
        if (state == State.LISTENING) {
            peerIndex = from;
            receiving.begin(FrameFormat.number(frame, at + FrameFormat.SYN_SEQUENCE));
            state = State.ESTABLISHED;
            sendSynack();
            user.established();
            flush(now);
        } else if (from == peerIndex && !answered) {
            sendSynack();
        }
    }

    private void synack(ByteBuffer frame, int at, int available, long now) {
        if (state != State.SYN_SENT || !isControlSealed(0, frame, at, FrameFormat.SYNACK_BYTES, available)) {
            return;
        }
        if (FrameFormat.number(frame, at + FrameFormat.SYNACK_ACKNOWLEDGED) != FrameFormat.FIRST) {
            reject();
            return;
        }
        int error = FrameFormat.number(frame, at + FrameFormat.SYNACK_ERROR);
        if (error != 0) {
            end(new PeerUnavailable(setting.peer() + " refuses the connection over Ethernet (error " + error + ")"));
            return;
        }
        peerIndex = FrameFormat.number(frame, at + FrameFormat.SYNACK_FROM);
        receiving.begin(FrameFormat.number(frame, at + FrameFormat.SYNACK_SEQUENCE));
        state = State.ESTABLISHED;
        user.established();
        // So that the other side need not answer our SYN again.
        ackDue = true;
        flush(now);
    }

    private void ack(ByteBuffer frame, int at, int available, long now) {
        if (!stands()) {
            return;
        }
        int ranges = 0;
        int length = FrameFormat.ACK_BYTES;
        if (seal != null) {
            ranges = available < FrameFormat.ACK_RANGE ? 0 : FrameFormat.number(frame, at + FrameFormat.ACK_RANGES);
            length = FrameFormat.ACK_RANGE + ranges * FrameFormat.RANGE_BYTES;
        }
        int where = at + FrameFormat.ACK_ACKNOWLEDGED;
        long last = available < length ? 0 : FrameFormat.nearest(sending.first() - 1, FrameFormat.number(frame, where));
        if (!isControlSealed(last, frame, at, length, available)) {
            return;
        }
        heard(now);
        long highest = acknowledged(frame, where, now);
        // In order, as they are told: else each of many could be as long as all that is under way.
        long before = last;
        for (int i = 0; i < ranges; i++) {
            int range = at + FrameFormat.ACK_RANGE + i * FrameFormat.RANGE_BYTES;
            long from = FrameFormat.nearest(last, FrameFormat.number(frame, range));
            long to = FrameFormat.nearest(last, FrameFormat.number(frame, range + Short.BYTES));
            if (from > before && sending.acknowledgedRange(from, to, now)) {
                before = to;
                highest = Math.max(highest, to + 1);
            }
        }
        sending.settle(highest, now);
        int resend = FrameFormat.number(frame, at + FrameFormat.ACK_RESEND);
        if (seal == null && resend != 0) {
            sending.sendAllAgain(now);
        } else if (seal != null && (resend & FrameFormat.CLOSING) != 0) {
            peerCloses();
        }
    }

    /** What we send is delivered to nobody; what the peer has sent before still is. */
    private void peerCloses() {
        peerCloses = true;
        sending.stop();
        if (state == State.FINISHED) {
            // Neither side wants anything more of the other.
            end(closed());
        }
    }

    private SessionLost closed() {
        return new SessionLost(setting.peer() + " has closed the link of the path " + P4Transport.NAME);
    }

    private void heard(long now) {
        answered = true;
        heardAt = now;
    }

    /** The frames that came together are all here: answers. */
    void settle(long now) {
        flush(now);
        endIfFinished();
    }

    private void endIfFinished() {
        if (finHeard && state != State.ENDED) {
            // Once more, since nobody will be here to answer the end again: a peer that does not hear it waits.
            sendAck();
            end(closed());
        }
    }

    /** When {@link #timePassed} has something to do; {@link Long#MAX_VALUE} if nothing is awaited. */
    long deadline() {
        return switch (state) {
            case SYN_SENT -> synAt;
            case LISTENING -> begunAt + silenceNanos;
            case ESTABLISHED, FINISHED ->
                Math.min(Math.min(ackAt, sending.deadline()), peerCloses ? heardAt + silenceNanos : Long.MAX_VALUE);
            case ENDED -> Long.MAX_VALUE;
        };
    }

    /** Looks whether something is overdue. */
    void timePassed(long now) {
        if (state == State.ENDED || now - deadline() < 0) {
            return;
        }
        if (state == State.SYN_SENT || state == State.LISTENING) {
            if (now - begunAt >= silenceNanos) {
                end(new PeerUnavailable(setting.peer() + " did not answer over Ethernet within "
                        + setting.silence().toMillis()
                        + " ms: does the network between us pass frames of the types 0x0814 and 0x0816, and of "
                        + (Math.max(FrameFormat.SYN_BYTES, longest()) + FrameFormat.ETHER) + " bytes?"));
            } else {
                sendSyn(now);
            }
            return;
        }
        if (ackAt - now <= 0) {
            ackDue = true;
        }
        if (peerCloses && now - heardAt >= silenceNanos) {
            end(closed());
            return;
        }
        if (sending.deadline() - now <= 0) {
            if (isSilent(now)) {
                end(new SessionLost(setting.peer() + " did not answer over Ethernet for "
                        + setting.silence().toMillis() + " ms"));
                return;
            }
            sending.silence(now);
        }
        flush(now);
    }

    /** Nothing comes; or what comes says again and again that nothing of ours arrives, though it may. */
    private boolean isSilent(long now) {
        long since = sending.progressAt();
        long limit = now - heardAt < silenceNanos ? PATIENCE * silenceNanos : silenceNanos;
        return now - since >= limit && (limit == silenceNanos || !sending.isShut());
    }

    private void sendSyn(long now) {
        synAt = now + synWait;
        synWait = Math.min(LONGEST_SYN_WAIT, 2 * synWait);
        control.putInt(0, 0);
        FrameFormat.number(control, 0, FrameFormat.SYN);
        FrameFormat.number(control, FrameFormat.SAID, setting.index());
        control.putLong(FrameFormat.SYN_NAME, nameWord);
        FrameFormat.number(control, FrameFormat.SYN_SEQUENCE, FrameFormat.FIRST);
        control.put(FrameFormat.SYN_ADDRESS, setting.address(), 0, FrameFormat.ADDRESS);
        sendControl(0, FrameFormat.SYN_BYTES, longest());
    }

    private void sendSynack() {
        control.putInt(0, 0);
        FrameFormat.number(control, 0, FrameFormat.SYNACK);
        FrameFormat.number(control, FrameFormat.SAID, peerIndex);
        FrameFormat.number(control, FrameFormat.SYNACK_FROM, setting.index());
        FrameFormat.number(control, FrameFormat.SYNACK_SEQUENCE, FrameFormat.FIRST);
        FrameFormat.number(control, FrameFormat.SYNACK_ACKNOWLEDGED, receiving.next());
        FrameFormat.number(control, FrameFormat.SYNACK_ERROR, 0);
        sendControl(0, FrameFormat.SYNACK_BYTES, longest());
    }

    private void sendAck() {
        long last = nextTold() - 1;
        control.putInt(0, 0);
        FrameFormat.number(control, 0, FrameFormat.ACK);
        FrameFormat.number(control, FrameFormat.SAID, peerIndex);
        FrameFormat.number(control, FrameFormat.ACK_ACKNOWLEDGED, last);
        FrameFormat.number(control, FrameFormat.ACK_WINDOW, windowTold());
        FrameFormat.number(control, FrameFormat.ACK_RESEND, resend());
        int length = FrameFormat.ACK_BYTES;
        if (seal != null) {
            int ranges = frozen < receiving.next() ? 0 : receiving.ranges(control, FrameFormat.ACK_RANGE);
            FrameFormat.number(control, FrameFormat.ACK_RANGES, ranges);
            length = FrameFormat.ACK_RANGE + ranges * FrameFormat.RANGE_BYTES;
        }
        sendControl(last, length, 0);
        told();
    }

    /** What begins a connection is as long as the longest that follows, to see whether that comes through. */
    private int longest() {
        return seal == null ? 0 : FrameFormat.DATA + setting.payload() + Seal.BYTES;
    }

    private int resend() {
        return (gap ? FrameFormat.RESEND : 0) | (seal != null && isFrozen() ? FrameFormat.CLOSING : 0);
    }

    private void sendControl(long number, int length, int atLeast) {
        int whole = length;
        if (seal != null) {
            control.putLong(length, seal.ofControl(number, control, 0, length));
            whole += Seal.BYTES;
        }
        outlet.control(control, Math.max(whole, atLeast));
    }

    /** Gives the payload that the other side does not have, from the beginning of a frame on. */
    void giveBack(Consumer<ByteBuf> to) {
        sending.giveBack(to);
    }

    private void end(WeirException reason) {
        if (state != State.ENDED) {
            state = State.ENDED;
            user.ended(reason);
        }
    }

    /** It can't go on: whoever uses it is told. */
    void breaks(WeirException reason) {
        end(reason);
    }

    /** Whether the other side asks for this connection by these bytes, read as a number as frames have them. */
    boolean isNamed(long name) {
        return !connects && nameWord == name;
    }

    /** Ends it without a word, and lets go of everything. Idempotent. */
    void release() {
        state = State.ENDED;
        sending.release();
        receiving.release();
    }
}
