package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Our half of a link over Ethernet that is being agreed on: a place at the port of the interface that leads to the
 * peer. The side that connects sends a SYN to the other one's, when both have the other's offer. Belongs to the loop's
 * thread.
 */
final class P4Agreement implements PendingLink, Connection.User {

    private final NettyLoop loop;
    private final boolean connecting;
    private final String peer;
    private final P4Options options;
    private final Nonce nonce = Nonce.random();
    private final long name;
    private final Mac theirMac;
    private final Seat seat;
    private final int window;
    private final int payload;
    private final byte[] offer;
    private final Disposable atLoopEnd = this::close;

    private @Nullable MonoSink<Link> result;

    /** How this came out: one of both, once. */
    private @Nullable P4Link link;

    private @Nullable WeirException failure;

    private P4Agreement(LinkRequest request, NettyLoop loop, P4Options options, EtherInterface on, P4Card.Port far) {
        this.loop = loop;
        this.connecting = request.connecting();
        this.peer = request.peer().id().toString();
        this.options = options;
        this.theirMac = far.mac();
        EtherPort port = EtherPort.of(loop, on, options.ringBytes());
        this.name = connecting ? 0 : port.newName();
        this.window = options.window(on);
        this.payload = FrameFormat.payload(on.mtu(), true);
        this.seat = port.take(far.mac(), this::settled);
        this.offer = new P4Offer(on.mac(), name, payload, window, nonce).encode();
    }

    /** Begins with our half. On the loop's thread. */
    static P4Agreement begin(
            LinkRequest request, NettyLoop loop, P4Options options, EtherInterface on, P4Card.Port far) {
        P4Agreement agreement = new P4Agreement(request, loop, options, on, far);
        loop.closeAtEnd(agreement.atLoopEnd);
        return agreement;
    }

    @Override
    public byte[] offer() {
        return offer.clone();
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        return Mono.create(sink -> {
            MonoSink<Link> abandoning = sink.onCancel(() -> loop.runInLoop(this::abandon));
            loop.runInLoop(() -> start(theirs, abandoning));
        });
    }

    private void start(byte[] offered, MonoSink<Link> sink) {
        if (failure != null) {
            sink.error(failure);
            return;
        }
        if (result != null) {
            sink.error(new IllegalStateException("a pending link is completed once"));
            return;
        }
        result = sink;
        try {
            P4Offer other = P4Offer.decode(offered, connecting);
            if (!other.mac().equals(theirMac)) {
                throw new ProtocolMismatch("the peer offers the interface " + other.mac() + ", where its card names "
                        + theirMac + ": its interfaces have changed");
            }
            seat.port().whenOpen(() -> begin(other), this::fail);
        } catch (WeirException e) {
            fail(e);
        }
    }

    private void begin(P4Offer other) {
        if (failure != null) {
            return;
        }
        try {
            seat.connection(connection(other));
            seat.connection().begin(System.nanoTime());
            seat.after();
        } catch (WeirException e) {
            fail(e);
        }
    }

    private Connection connection(P4Offer other) {
        int common = Math.min(payload, other.payload());
        Connection.Setting setting = new Connection.Setting(
                seat.index(),
                connecting ? other.name() : name,
                address(),
                peer,
                common,
                window,
                Math.max(P4Options.LEAST_FRAGMENTS, Math.min(P4Options.MOST_FRAGMENTS, options.windowBytes() / common)),
                options.timeout());
        Nonce first = connecting ? nonce : other.nonce();
        Nonce second = connecting ? other.nonce() : nonce;
        return new Connection(
                setting, connecting, Seal.of(first, second, connecting), seat, this, ByteBufAllocator.DEFAULT);
    }

    /** As a host of ParaStation tells where the other side is: by its MAC, and an interface, whose name is ours. */
    private ByteBuffer address() {
        byte[] device = seat.port().on().name().getBytes(StandardCharsets.US_ASCII);
        ByteBuffer address = ByteBuffer.allocate(FrameFormat.ADDRESS).order(ByteOrder.nativeOrder());
        address.putShort(0, (short) FrameFormat.ETHERNET_ADDRESS);
        address.put(FrameFormat.ADDRESS_MAC, theirMac.bytes());
        address.put(FrameFormat.ADDRESS_DEVICE, Arrays.copyOf(device, Math.min(device.length, 15)));
        return address;
    }

    private void settled() {
        if (link != null) {
            link.settled();
        }
    }

    @Override
    public boolean wants() {
        return false;
    }

    @Override
    public void fragment(ByteBuf bytes, boolean last) {
        throw new IllegalStateException("nobody wants it yet");
    }

    @Override
    public void established() {
        MonoSink<Link> sink = result;
        if (sink == null || failure != null) {
            return;
        }
        P4Link opened = new P4Link(loop, peer, seat);
        link = opened;
        loop.forget(atLoopEnd);
        sink.success(opened);
    }

    @Override
    public void ended(WeirException reason) {
        fail(reason);
    }

    private void abandon() {
        if (link != null) {
            link.close();
        } else {
            close();
        }
    }

    @Override
    public void close() {
        if (link == null) {
            fail(new PeerUnavailable("the connection to " + peer + " was given up before it was agreed on"));
        }
    }

    private void fail(WeirException reason) {
        if (failure != null || link != null) {
            return;
        }
        failure = reason;
        loop.forget(atLoopEnd);
        seat.leave();
        if (result != null) {
            result.error(reason);
        }
    }
}
