package io.weir.transport.tcp;

import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The accepting side with a data address: it listens there for the one who knows the nonce. Loop thread only. */
final class AcceptingLink implements PendingLink {

    private static final Logger LOG = LoggerFactory.getLogger(AcceptingLink.class);

    private final TcpOptions options;
    private final NettyLoop loop;
    private final DataListener listener;
    private final DataOffer offer;
    private final Link bootstrap;
    /** Those that have connected and not shown the nonce. */
    private final Set<TcpLink> strangers = new HashSet<>();

    private final Sinks.One<Link> arrived = Sinks.one();
    private @Nullable TcpLink recognised;
    private boolean taken;
    private boolean ended;
    private Disposable deadline = Disposables.disposed();

    private AcceptingLink(PeerAddress address, TcpOptions options, NettyLoop loop, Link bootstrap) {
        this.bootstrap = bootstrap;
        this.options = options;
        this.loop = loop;
        this.listener = DataListener.open(address, options, loop, this::connected);
        this.offer = DataOffer.at(listener.address());
    }

    static AcceptingLink listen(PeerAddress address, TcpOptions options, LinkRequest request) {
        return new AcceptingLink(address, options, ChosenLoops.netty(request.loop()), request.bootstrap());
    }

    @Override
    public byte[] offer() {
        return offer.encode();
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        if (theirs.length > 0) {
            close();
            return Mono.error(new ProtocolMismatch("the peer offers " + theirs.length
                    + " bytes for tcp, where the connecting side has nothing to offer"));
        }
        deadline = loop.schedule(
                () -> fail(new PeerUnavailable("the peer did not connect to our data address " + offer.address()
                        + " within " + options.connectTimeout().toMillis() + " ms")),
                options.connectTimeout());
        return arrived.asMono().doOnNext(link -> taken = true);
    }

    @Override
    public void close() {
        TcpLink unused = taken ? null : recognised;
        if (unused != null) {
            unused.close();
        }
        fail(new PeerUnavailable("the attempt at our data address " + offer.address() + " was given up"));
    }

    private void fail(WeirException reason) {
        if (!ended) {
            end();
            arrived.tryEmitError(reason).orThrow();
        }
    }

    private void connected(TcpLink link) {
        if (ended) {
            link.close();
            return;
        }
        strangers.add(link);
        link.handler(new Stranger(link));
    }

    private void recognised(TcpLink link) {
        strangers.remove(link);
        link.pause();
        end();
        recognised = link;
        arrived.tryEmitValue(link).orThrow();
    }

    private void end() {
        ended = true;
        deadline.dispose();
        listener.close();
        strangers.forEach(TcpLink::close);
        strangers.clear();
    }

    private final class Stranger implements LinkHandler {

        private final TcpLink link;

        Stranger(TcpLink link) {
            this.link = link;
        }

        @Override
        public void frame(Frame frame) {
            boolean ours = frame.kind() == FrameKind.HELLO && offer.isHello(frame.body());
            frame.release();
            String stranger = TlsSession.stranger(bootstrap, link);
            if (ours && stranger == null) {
                recognised(link);
            } else if (ours) {
                throw new ProtocolMismatch(
                        "the peer has come to our data address " + offer.address() + " as somebody else: " + stranger);
            } else {
                throw new ProtocolMismatch(
                        "a connection to our data address " + offer.address() + " is not the peer's");
            }
        }

        @Override
        public void writable() {
            throw new IllegalStateException("nothing was offered");
        }

        @Override
        public void lost(WeirException reason) {
            LOG.debug("At our data address: {}", reason.getMessage());
            strangers.remove(link);
        }
    }
}
