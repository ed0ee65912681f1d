package io.weir.transport.tcp;

import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.transport.loop.NettyLoop;
import java.net.InetAddress;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The connecting side: it learns from the other side's offer whether a data address awaits it. */
final class ConnectingLink implements PendingLink {

    private final LinkRequest request;
    private final TcpOptions options;
    private final Sinks.Empty<Link> closed = Sinks.empty();

    ConnectingLink(LinkRequest request, TcpOptions options) {
        this.request = request;
        this.options = options;
    }

    @Override
    public byte[] offer() {
        return new byte[0];
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        if (theirs.length == 0) {
            return Mono.just(request.bootstrap());
        }
        return Mono.defer(() -> connect(DataOffer.decode(theirs)));
    }

    /**
     * Only to the host that we have connected to, or where the configuration says: else a peer could use us to look
     * around in our network.
     */
    private void check(PeerAddress address) {
        InetAddress named = Objects.requireNonNull(TcpOptions.literal(address.host()));
        InetAddress reached = request.bootstrap() instanceof TcpLink link ? link.remoteHost() : null;
        if (!named.equals(reached) && options.dataNetworks().stream().noneMatch(network -> network.holds(named))) {
            throw new PeerUnavailable("the peer's data address " + address + " is not where we have connected to"
                    + (reached == null ? "" : " (" + reached.getHostAddress() + ")")
                    + "; if it is the peer's, name its network in weir.transport.tcp.data-networks");
        }
    }

    private Mono<Link> connect(DataOffer offer) {
        check(offer.address());
        NettyLoop loop = ChosenLoops.netty(request.loop());
        return Connecting.toDataAddress(offer.address(), options, loop, request.bootstrap())
                .link()
                .map(link -> greet(link, offer))
                .takeUntilOther(closed.asMono())
                .switchIfEmpty(Mono.error(
                        () -> new PeerUnavailable("the attempt to reach " + offer.address() + " was given up")));
    }

    private Link greet(TcpLink link, DataOffer offer) {
        String stranger = TlsSession.stranger(request.bootstrap(), link);
        if (stranger != null) {
            link.close();
            throw new PeerUnavailable("the data address " + offer.address() + " is not the peer's: " + stranger);
        }
        Frame hello = new Frame().set(FrameKind.HELLO, 0, 0, 0).body(offer.hello());
        if (link.offer(hello)) {
            return link;
        }
        hello.release();
        link.close();
        throw new PeerUnavailable(offer.address() + " has closed the connection at once");
    }

    @Override
    public void close() {
        closed.emitEmpty(Sinks.EmitFailureHandler.FAIL_FAST);
    }
}
