package io.weir.transport.p4sock;

import io.netty.util.concurrent.FastThreadLocal;
import io.weir.core.PeerUnavailable;
import io.weir.core.Pollable;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * What the connections of one loop over one interface share: a packet socket for data and one for control frames, since
 * a socket for both would look at every frame of the interface. Opened for the first connection and closed behind the
 * last. Belongs to the loop's thread.
 */
final class EtherPort implements Pollable {

    /** Frames taken in one look at most, so that other links and tasks get their turn. */
    private static final int LOOK = 128;

    private static final int CONTROL_LOOK = 32;

    /** A device that takes nothing is tried again after this time. */
    private static final Duration RETRY = Duration.ofNanos(100_000);

    /** A struct mmsghdr, and where it points to the pieces and tells how many they are. */
    private static final int MESSAGE = 64;

    private static final int PIECES_AT = 16;
    private static final int PIECE_COUNT_AT = 24;
    private static final int PIECE = 16;
    private static final int PIECES = 3;

    private static final int CONTROL_RING_SHARE = 8;

    private static final FastThreadLocal<Map<Integer, EtherPort>> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected Map<Integer, EtherPort> initialValue() {
            return new HashMap<>();
        }
    };

    /** For each type of frames one. */
    private record Sockets(PacketSocket data, PacketSocket control) {

        void close() {
            data.close();
            control.close();
        }
    }

    private record Waiter(Runnable ready, Consumer<WeirException> failed) {}

    private final NettyLoop loop;
    private final EtherInterface on;
    private final int prefix = ThreadLocalRandom.current().nextInt();
    private final PacketRing.Layout dataLayout;
    private final PacketRing.Layout controlLayout;
    /** Null until it is open. */
    private @Nullable Sockets sockets;

    private final List<Waiter> waiters = new ArrayList<>();
    private final List<Blocks.Held> blocks = new ArrayList<>();
    private final @Nullable Seat[] seats = new Seat[FrameFormat.INDICES];
    private final ByteBuffer messages = Structures.allocate(SendQueue.BATCH * MESSAGE);
    private final ByteBuffer pieces = Structures.allocate(SendQueue.BATCH * PIECES * PIECE);
    private final long messagesAt = Structures.address(messages);
    private final long piecesAt = Structures.address(pieces);
    private final ByteBuffer controlFrame;
    private final long controlFrameAt;
    private final Seat[] touched = new Seat[LOOK + CONTROL_LOOK];
    private final List<Disposable> watches = new ArrayList<>();
    private int taken;
    private int nextSeat;
    private @Nullable WeirException failure;
    private boolean closed;

    private EtherPort(NettyLoop loop, EtherInterface on, int ringBytes) {
        this.loop = loop;
        this.on = on;
        this.dataLayout = PacketRing.Layout.of(on.frameBytes(), ringBytes);
        this.controlLayout = PacketRing.Layout.of(on.frameBytes(), ringBytes / CONTROL_RING_SHARE);
        blocks.add(Blocks.take(on));
        controlFrame = Structures.allocate(on.frameBytes());
        controlFrameAt = Structures.address(controlFrame);
        for (int i = 0; i < SendQueue.BATCH; i++) {
            messages.putLong(i * MESSAGE + PIECES_AT, piecesAt + (long) i * PIECES * PIECE);
        }
        open(numbers());
    }

    private List<Integer> numbers() {
        return blocks.stream().map(Blocks.Held::number).toList();
    }

    /** On a thread of its own, as closing is: the kernel waits for what looks at a socket, for many milliseconds. */
    private void open(List<Integer> numbers) {
        apart(() -> {
            try {
                PacketSocket forData =
                        PacketSocket.open(on, FrameFormat.DATA_TYPE, dataLayout, FrameFilter.ofData(numbers));
                try {
                    PacketSocket forControl = PacketSocket.open(
                            on, FrameFormat.CONTROL_TYPE, controlLayout, FrameFilter.ofControl(numbers, prefix));
                    Sockets made = new Sockets(forData, forControl);
                    handOver(() -> opened(made), made::close);
                } catch (WeirException e) {
                    forData.close();
                    throw e;
                }
            } catch (WeirException e) {
                handOver(() -> failsToOpen(e), () -> {});
            }
        });
    }

    private void apart(Runnable work) {
        Thread thread = new Thread(work, loop.name() + "-p4sock");
        thread.setDaemon(true);
        thread.start();
    }

    private void handOver(Runnable step, Runnable otherwise) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException e) {
            // The loop has ended.
            otherwise.run();
        }
    }

    private void opened(Sockets made) {
        if (closed) {
            apart(made::close);
            return;
        }
        sockets = made;
        try {
            // More may have been taken meanwhile.
            filter(made);
            watches.add(loop.watch(made.data().number(), this::awakened));
            watches.add(loop.watch(made.control().number(), this::awakened));
        } catch (WeirException e) {
            failsToOpen(e);
            return;
        } catch (IllegalArgumentException | IllegalStateException e) {
            failsToOpen(new PeerUnavailable("the socket of " + on.name() + " can't be watched: " + e.getMessage(), e));
            return;
        }
        loop.add(this);
        List<Waiter> ready = List.copyOf(waiters);
        waiters.clear();
        ready.forEach(waiter -> waiter.ready().run());
    }

    private void failsToOpen(WeirException reason) {
        failure = reason;
        List<Waiter> refused = List.copyOf(waiters);
        waiters.clear();
        refused.forEach(waiter -> waiter.failed().accept(reason));
    }

    /** Calls one of both, now or later, when it is known whether frames can be sent. */
    void whenOpen(Runnable ready, Consumer<WeirException> failed) {
        WeirException reason = failure;
        if (reason != null) {
            failed.accept(reason);
        } else if (sockets != null) {
            ready.run();
        } else {
            waiters.add(new Waiter(ready, failed));
        }
    }

    private Sockets sockets() {
        Sockets open = sockets;
        if (open == null) {
            throw new IllegalStateException("the port is not open");
        }
        return open;
    }

    private void filter(Sockets of) {
        of.data().filter(FrameFilter.ofData(numbers()));
        of.control().filter(FrameFilter.ofControl(numbers(), prefix));
    }

    /**
     * The port of this loop on this interface. On the loop's thread.
     *
     * @param ringBytes what it receives into, if it is opened now
     * @throws PeerUnavailable if it can't be opened
     */
    static EtherPort of(NettyLoop loop, EtherInterface on, int ringBytes) {
        EtherPort there = OF_LOOP.get().get(on.index());
        if (there != null && (!there.on.equals(on) || there.failure != null)) {
            // It has changed: whoever sits there stays, or is told.
            there = null;
        }
        if (there == null) {
            there = new EtherPort(loop, on, ringBytes);
            OF_LOOP.get().put(on.index(), there);
        }
        return there;
    }

    NettyLoop loop() {
        return loop;
    }

    EtherInterface on() {
        return on;
    }

    /** A new name, which leads to this port. */
    long newName() {
        // Not zero, as that is none.
        return (long) prefix << 32 | ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    }

    /** A free place. A connection for which nobody looks has to {@link Seat#leave leave} it. */
    Seat take(Mac peer, Runnable settled) {
        int index = freeIndex();
        Seat seat = new Seat(this, index, on.mac(), peer, settled);
        seats[index] = seat;
        taken++;
        return seat;
    }

    private int freeIndex() {
        if (taken == blocks.size() * FrameFilter.BLOCK) {
            blocks.add(Blocks.take(on));
            if (sockets != null) {
                filter(sockets);
            }
        }
        int all = blocks.size() * FrameFilter.BLOCK;
        for (int i = 0; i < all; i++) {
            int place = (nextSeat + i) % all;
            int index = blocks.get(place / FrameFilter.BLOCK).firstIndex() + place % FrameFilter.BLOCK;
            if (seats[index] == null) {
                // Not the one that was free last: something may still be on its way to it.
                nextSeat = place + 1;
                return index;
            }
        }
        throw new IllegalStateException(taken + " of " + all + " places are taken, and none is free");
    }

    void leave(Seat seat) {
        seats[seat.index()] = null;
        taken--;
        if (taken == 0) {
            // Not from here: this may be reached from within a look at what has come.
            loop.atTurnEnd(this::closeIfEmpty);
        }
    }

    private void closeIfEmpty() {
        if (taken > 0 || closed) {
            return;
        }
        closed = true;
        Map<Integer, EtherPort> all = OF_LOOP.get();
        if (all.get(on.index()) == this) {
            all.remove(on.index());
        }
        loop.remove(this);
        watches.forEach(Disposable::dispose);
        waiters.clear();
        Sockets open = sockets;
        List<Blocks.Held> held = List.copyOf(blocks);
        if (open == null) {
            held.forEach(Blocks.Held::close);
        } else {
            // Others may have the indices when nothing listens to them any more.
            apart(() -> {
                open.close();
                held.forEach(Blocks.Held::close);
            });
        }
    }

    static void putType(ByteBuffer frame, int type) {
        frame.put(FrameFormat.ETHER - 2, (byte) (type >>> 8));
        frame.put(FrameFormat.ETHER - 1, (byte) type);
    }

    /**
     * Sends these. Returns how many the device has taken.
     *
     * @throws WeirException if it takes none any more
     */
    int send(Fragment[] batch, int count) {
        for (int i = 0; i < count; i++) {
            describe(batch[i], i);
        }
        return sent(Posix.sendMessages(sockets().data().number(), messagesAt, count));
    }

    private void describe(Fragment fragment, int message) {
        int at = message * PIECES * PIECE;
        int written = Fragment.PAYLOAD + fragment.written() + fragment.sealBytes();
        if (!fragment.hasPiece()) {
            piece(at, fragment.address, written);
            messages.putLong(message * MESSAGE + PIECE_COUNT_AT, 1);
            return;
        }
        int before = Fragment.PAYLOAD + fragment.pieceAt();
        piece(at, fragment.address, before);
        piece(at + PIECE, fragment.pieceAddress(), fragment.pieceLength());
        piece(at + 2 * PIECE, fragment.address + before, written - before);
        messages.putLong(message * MESSAGE + PIECE_COUNT_AT, PIECES);
    }

    private void piece(int at, long address, long length) {
        pieces.putLong(at, address);
        pieces.putLong(at + Long.BYTES, length);
    }

    private int sent(int result) {
        if (result >= 0) {
            return result;
        }
        if (result == -LibC.EAGAIN || result == -LibC.ENOBUFS || result == -LibC.EINTR) {
            return 0;
        }
        throw broken(-result);
    }

    private WeirException broken(int error) {
        if (error == LibC.EMSGSIZE) {
            return new PeerUnavailable("the MTU of " + on.name() + " has become shorter than " + on.mtu());
        }
        return error == LibC.ENETDOWN || error == LibC.ENODEV
                ? new PeerUnavailable("the interface " + on.name() + " is down")
                : new PeerUnavailable("the interface " + on.name() + " takes no frames: " + Posix.words(error));
    }

    /** Sends a control frame behind this header. It may get lost on its way, and here as well. */
    void sendControl(ByteBuffer header, ByteBuffer frame, int length) {
        controlFrame.putLong(0, header.getLong(0));
        controlFrame.putInt(Long.BYTES, header.getInt(Long.BYTES));
        putType(controlFrame, FrameFormat.CONTROL_TYPE);
        controlFrame.put(FrameFormat.ETHER, frame, 0, length);
        piece(0, controlFrameAt, FrameFormat.ETHER + length);
        messages.putLong(PIECE_COUNT_AT, 1);
        // An interface that takes none says so to what sends data, and by itself.
        int unused = Posix.sendMessages(sockets().data().number(), messagesAt, 1);
    }

    /** The device has not taken everything: calls this a little later. */
    void retry(Runnable attempt) {
        var unused = loop.schedule(attempt, RETRY);
    }

    @Override
    public int poll() {
        PacketRing incoming = sockets().data().ring();
        PacketRing signals = sockets().control().ring();
        if (!incoming.hasNext() && !signals.hasNext()) {
            return 0;
        }
        long now = System.nanoTime();
        int seatsTouched = 0;
        int count = 0;
        while (count < CONTROL_LOOK && signals.hasNext()) {
            try {
                seatsTouched = signal(signals, now, seatsTouched);
            } finally {
                signals.next();
            }
            count++;
        }
        int most = count + LOOK;
        while (count < most && incoming.hasNext()) {
            try {
                seatsTouched = receive(incoming, now, seatsTouched);
            } finally {
                incoming.next();
            }
            count++;
        }
        for (int i = 0; i < seatsTouched; i++) {
            touched[i].settle(now);
        }
        return count;
    }

    private int receive(PacketRing ring, long now, int seatsTouched) {
        int at = ring.frame() + FrameFormat.ETHER;
        int available = ring.length() - FrameFormat.ETHER;
        Seat seat = available < FrameFormat.DATA
                ? null
                : seats[FrameFormat.number(ring.memory(), at + FrameFormat.INDEX) % FrameFormat.INDICES];
        if (seat == null || !seat.isTaken()) {
            return seatsTouched;
        }
        seat.connection().data(ring.memory(), ring.view(), at, available, now);
        return touch(seat, seatsTouched);
    }

    private int signal(PacketRing ring, long now, int seatsTouched) {
        int at = ring.frame() + FrameFormat.ETHER;
        int available = ring.length() - FrameFormat.ETHER;
        if (available < FrameFormat.ACK_BYTES) {
            return seatsTouched;
        }
        Seat seat = FrameFormat.number(ring.memory(), at) == FrameFormat.SYN
                ? named(ring.memory(), at + FrameFormat.SYN_NAME)
                : seats[FrameFormat.number(ring.memory(), at + FrameFormat.SAID) % FrameFormat.INDICES];
        if (seat == null || !seat.isTaken()) {
            return seatsTouched;
        }
        seat.connection().control(ring.memory(), at, available, now);
        return touch(seat, seatsTouched);
    }

    private int touch(Seat seat, int seatsTouched) {
        if (seat.touched) {
            return seatsTouched;
        }
        seat.touched = true;
        touched[seatsTouched] = seat;
        return seatsTouched + 1;
    }

    /** Few connections begin, and seldom: whoever is asked for is looked for. */
    private @Nullable Seat named(ByteBuffer frame, int at) {
        long name = frame.getLong(at);
        for (Blocks.Held block : blocks) {
            for (int i = 0; i < FrameFilter.BLOCK; i++) {
                Seat seat = seats[block.firstIndex() + i];
                if (seat != null && seat.isTaken() && seat.connection().isNamed(name)) {
                    return seat;
                }
            }
        }
        return null;
    }

    @Override
    public boolean asleep() {
        return !hasNext();
    }

    private boolean hasNext() {
        return sockets().data().ring().hasNext() || sockets().control().ring().hasNext();
    }

    @Override
    public void awake() {
        // The descriptors say what has happened.
    }

    private void awakened() {
        loop.woken();
        if (closed || hasNext()) {
            return;
        }
        int error = Math.max(sockets().data().takeError(), sockets().control().takeError());
        if (error != 0) {
            fails(broken(error));
        }
    }

    private void fails(WeirException reason) {
        failure = reason;
        for (Blocks.Held block : List.copyOf(blocks)) {
            for (int i = 0; i < FrameFilter.BLOCK; i++) {
                Seat seat = seats[block.firstIndex() + i];
                if (seat != null) {
                    seat.broken(reason);
                }
            }
        }
    }
}
