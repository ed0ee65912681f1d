package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.SlowCalls;
import io.weir.transport.nativelib.UnixSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * What is said on the socket: first each side's greeting, which shows the nonce that the other one offered, then the
 * descriptor of a memory file each way, then what {@link Doorbell} hears, until it ends.
 *
 * <p>The other side may pass anything, at any time, and whoever receives or drops it closes it, which may take long. So
 * the loop only looks whether a descriptor is there, and it is received among the {@link SlowCalls}. Belongs to the
 * loop's thread.
 */
final class Meeting implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Meeting.class);

    private static final int GREETING = 8 + Nonce.BYTES;

    private final ShmAgreement agreement;
    private final NettyLoop loop;
    private final UnixSocket socket;
    private final Doorbell doorbell;
    private final boolean connecting;
    private final Nonce expected;
    private final byte[] greeting = new byte[GREETING];
    private Disposable watch = Disposables.disposed();
    private int heard;
    private boolean proven;
    /** The memory is being received, by somebody who has the socket meanwhile. */
    private boolean receiving;
    /** All was said: what comes is for the doorbell, and only the end is waited for here. */
    private boolean over;

    private boolean closed;

    /**
     * One side of a conversation. Takes over the socket.
     *
     * @param expected what the other side must show
     */
    Meeting(ShmAgreement agreement, NettyLoop loop, UnixSocket socket, boolean connecting, Nonce expected) {
        this.agreement = agreement;
        this.loop = loop;
        this.socket = socket;
        this.doorbell = new Doorbell(socket);
        this.connecting = connecting;
        this.expected = expected;
    }

    /** Hears the other side from now on. */
    void begin() {
        try {
            checkUser();
            watch = loop.watch(socket.number(), this::hear, this::otherSideEnded);
            agreement.connected(this);
        } catch (WeirException e) {
            fail(e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            fail(new PeerUnavailable("the socket to the peer can't be watched: " + e.getMessage(), e));
        }
    }

    /** At the socket, closed with this. */
    Doorbell doorbell() {
        return doorbell;
    }

    /** Whether the other side has shown that it has our offer. */
    boolean isProven() {
        return proven;
    }

    /** Shows the other side that we have its offer. */
    void greet(Nonce theirs) {
        ByteBuffer bytes = ByteBuffer.allocate(GREETING).order(ByteOrder.LITTLE_ENDIAN);
        try {
            socket.send(bytes.putLong(SegmentLayout.MAGIC).put(theirs.bytes()).array());
        } catch (NativeFailure e) {
            ended(new PeerUnavailable("the peer's socket takes no greeting: " + e.getMessage(), e));
        }
    }

    /** Passes our segment's file. */
    void pass(ShmHalf half) {
        try {
            socket.pass(half.growth().file());
        } catch (NativeFailure e) {
            ended(new PeerUnavailable("our memory can't be passed to the peer: " + e.getMessage(), e));
            return;
        }
        half.growth().passed();
        agreement.passed();
    }

    private void checkUser() {
        int uid;
        try {
            uid = socket.peerUid();
        } catch (NativeFailure e) {
            throw new Refused("the system does not tell who is at the other end of the socket: " + e.getMessage(), e);
        }
        if (uid != Posix.uid()) {
            throw new Refused("the process at the other end of the socket belongs to uid " + uid + ", not to ours ("
                    + Posix.uid() + ")");
        }
    }

    private void hear() {
        try {
            if (over) {
                if (!doorbell.silence()) {
                    throw new ProtocolMismatch("the peer passes descriptors where it may only ring");
                }
                agreement.rung();
                return;
            }
            while (!closed && !proven && !isGreeted()) {
                int read = socket.read(GREETING - heard);
                if (read <= 0) {
                    stopsAt(read);
                    return;
                }
                UnixSocket.bytes(greeting, heard, read);
                heard += read;
            }
            if (!closed && proven && !receiving) {
                expectMemory();
            }
        } catch (WeirException e) {
            fail(e);
        }
    }

    /** What is left when a greeting is whole is looked at as well, as nothing tells of it once more. */
    private boolean isGreeted() {
        if (heard < GREETING) {
            return false;
        }
        checkGreeting();
        proven = true;
        agreement.met(this);
        return true;
    }

    private void checkGreeting() {
        ByteBuffer bytes = ByteBuffer.wrap(greeting).order(ByteOrder.LITTLE_ENDIAN);
        byte[] nonce = new byte[Nonce.BYTES];
        var unused = bytes.get(8, nonce);
        if (bytes.getLong(0) != SegmentLayout.MAGIC || !expected.matches(nonce)) {
            throw new ProtocolMismatch("whoever is at the other end of the socket does not have our offer");
        }
    }

    private void stopsAt(int read) {
        if (read == UnixSocket.DESCRIPTORS) {
            throw new ProtocolMismatch("descriptors came from the peer's socket in place of a greeting");
        }
        if (read == UnixSocket.END) {
            endOfStream();
        }
    }

    private void expectMemory() {
        int next = socket.look();
        if (next == UnixSocket.DESCRIPTORS) {
            SegmentLayout layout = agreement.layoutOfTheirs();
            receiving = true;
            SlowCalls.run(() -> receive(layout));
        } else if (next == UnixSocket.END) {
            endOfStream();
        } else if (next != UnixSocket.NOTHING) {
            throw new ProtocolMismatch("more than a greeting came from the peer's socket");
        }
    }

    /** Not on the loop. */
    private void receive(SegmentLayout layout) {
        ShmHalf half = null;
        WeirException failure = null;
        try {
            Descriptor memory = socket.receiveDescriptor();
            if (memory == null) {
                throw new ProtocolMismatch(
                        "the peer passes something else than its memory, or we have no descriptors left");
            }
            half = ShmHalf.open(memory, layout);
        } catch (WeirException e) {
            failure = e;
        } catch (Throwable e) {
            failure = new PeerUnavailable("a descriptor of the peer can't be used: " + e, e);
        }
        ShmHalf got = half;
        WeirException reason = failure;
        try {
            loop.execute(() -> received(got, reason));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and this with it.
            doorbell.close();
            closeUnlessNull(got);
        }
    }

    private static void closeUnlessNull(@Nullable ShmHalf half) {
        if (half != null) {
            half.close();
        }
    }

    private void received(@Nullable ShmHalf half, @Nullable WeirException failure) {
        receiving = false;
        over = true;
        if (closed) {
            doorbell.close();
            closeUnlessNull(half);
        } else if (half == null) {
            fail(failure == null ? new ProtocolMismatch("the peer has passed no memory") : failure);
        } else {
            agreement.received(half);
        }
    }

    /** A greeting that came before is heard, as it says whose end this is. */
    private void otherSideEnded() {
        if (!proven && !closed) {
            hear();
        }
        endOfStream();
    }

    private void endOfStream() {
        ended(new PeerUnavailable("the peer closed the socket before the shared memory was agreed on"));
    }

    private void ended(WeirException reason) {
        if (isExpected()) {
            agreement.ended(reason);
        }
        if (!over) {
            close();
        }
    }

    private void fail(WeirException reason) {
        if (isExpected()) {
            agreement.broken(reason);
        } else {
            log.info("Sent away from the socket for shared memory: {}", reason.getMessage());
        }
        if (!over) {
            close();
        }
    }

    /** A guest who has proved nothing may be anybody: its failure is not that of the agreement. */
    private boolean isExpected() {
        return proven || connecting;
    }

    /** Ends the conversation. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        watch.dispose();
        agreement.left(this);
        if (!receiving) {
            doorbell.close();
        }
    }
}
