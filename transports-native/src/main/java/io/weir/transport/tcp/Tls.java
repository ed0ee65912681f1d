package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.FastThreadLocal;
import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RareLog;
import io.weir.core.TlsSpec;
import io.weir.transport.loop.NettyLoop;
import java.net.SocketAddress;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The TLS of one spec on the loops of one node: what its files held when they were last looked at. Lives as long as one
 * of the loops; new connections take what is the latest then. A loop has that of the node, and those of peers that have
 * their own.
 */
final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private static final FastThreadLocal<Map<TlsSpec, Tls>> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected Map<TlsSpec, Tls> initialValue() {
            return new HashMap<>();
        }

        @Override
        protected void onRemoval(Map<TlsSpec, Tls> left) {
            left.values().forEach(Tls::leave);
        }
    };

    /**
     * How long a session may be taken up again, in seconds: more than the longest that TLS 1.3 allows, with which the
     * JDK gives and takes no tickets at all.
     */
    private static final long NO_TICKETS = Duration.ofDays(8).toSeconds();

    /**
     * What has to be said before a connection is closed is one short record; a peer that does not take it is left
     * without.
     */
    private static final Duration FAREWELL = Duration.ofMillis(500);

    private final TlsSpec spec;
    private final RareLog refusals = new RareLog(LOG, System::nanoTime);
    /** Accepted connections whose handshake has not ended, the one that waits longest first. Under its own lock. */
    private final Set<Channel> newcomers = new LinkedHashSet<>();

    private volatile Contexts contexts;
    private String lastFailure = "";
    private int loops;
    private Disposable looking = Disposables.disposed();

    /**
     * What is made of what the files held.
     *
     * @param server null without a certificate of our own
     */
    private record Contexts(List<Object> seen, @Nullable SslContext server, SslContext client) {}

    private Tls(TlsSpec spec) {
        this.spec = spec;
        this.contexts = read(TlsMaterial.look(spec), spec);
    }

    /**
     * Reads the files. May block.
     *
     * @throws Misconfigured naming the setting and what is wrong
     */
    static Tls load(TlsSpec spec) {
        return new Tls(spec);
    }

    private static Contexts read(List<Object> seen, TlsSpec spec) {
        TlsMaterial material = TlsMaterial.read(spec);
        for (X509Certificate own : material.own()) {
            Instant end = own.getNotAfter().toInstant();
            if (end.isBefore(Instant.now())) {
                LOG.warn(
                        "Our certificate {} has expired on {}: peers will refuse it; renew weir.tls.certificate",
                        own.getSubjectX500Principal(),
                        end);
            }
        }
        for (X509CRL list : material.lists()) {
            Date next = list.getNextUpdate();
            if (next != null && next.toInstant().isBefore(Instant.now())) {
                LOG.warn(
                        "The list of what {} has revoked was to be replaced on {}: 15 minutes after that, peers with"
                                + " certificates of this issuer are refused; bring a new one to"
                                + " weir.tls.revocation-lists",
                        ForeignText.harmless(list.getIssuerX500Principal().toString()),
                        next.toInstant());
            }
        }
        try {
            return new Contexts(seen, server(spec, material), client(spec, material));
        } catch (SSLException e) {
            throw new Misconfigured("weir.tls can't be used as it is set: " + e.getMessage(), e);
        }
    }

    private static @Nullable SslContext server(TlsSpec spec, TlsMaterial material) throws SSLException {
        if (material.keys() == null) {
            return null;
        }
        return context(SslContextBuilder.forServer(material.keys()), spec, material)
                .clientAuth(
                        switch (spec.clientAuth()) {
                            case NONE -> ClientAuth.NONE;
                            case OPTIONAL -> ClientAuth.OPTIONAL;
                            case REQUIRED -> ClientAuth.REQUIRE;
                        })
                .build();
    }

    private static SslContext client(TlsSpec spec, TlsMaterial material) throws SSLException {
        SslContextBuilder builder = context(SslContextBuilder.forClient(), spec, material);
        return (material.keys() == null ? builder : builder.keyManager(material.keys())).build();
    }

    private static SslContextBuilder context(SslContextBuilder builder, TlsSpec spec, TlsMaterial material) {
        return builder.sslProvider(SslProvider.JDK)
                .trustManager(material.trusted())
                .protocols(spec.protocols())
                .endpointIdentificationAlgorithm(null)
                .sessionTimeout(NO_TICKETS);
    }

    /** Serves the connections of this loop that begin from now on, until it ends. Any thread, any number of times. */
    void join(NettyLoop loop) {
        if (loop.inLoop()) {
            join();
        } else {
            loop.eventLoop().execute(this::join);
        }
    }

    private void join() {
        if (OF_LOOP.get().putIfAbsent(spec, this) == null) {
            enter();
        }
    }

    private synchronized void enter() {
        if (loops++ == 0) {
            looking = Flux.interval(spec.reload())
                    .onBackpressureDrop()
                    .concatMap(tick -> Mono.fromRunnable(this::look).subscribeOn(Schedulers.boundedElastic()))
                    .subscribe();
        }
    }

    private synchronized void leave() {
        if (--loops == 0) {
            looking.dispose();
        }
    }

    /** Takes what has changed, if it can be used. */
    private void look() {
        try {
            List<Object> seen = TlsMaterial.look(spec);
            if (!seen.equals(contexts.seen)) {
                contexts = read(seen, spec);
                LOG.info("Certificates have changed, new connections use the new ones: {}", spec);
            }
            lastFailure = "";
        } catch (RuntimeException | LinkageError e) {
            String failure = String.valueOf(e.getMessage());
            if (!failure.equals(lastFailure)) {
                lastFailure = failure;
                LOG.error("Certificates can't be reloaded, new connections go on with the old ones: {}", failure);
            }
        }
    }

    /** What is still to be computed for a connection that has ended is not computed any more. */
    private static Executor elsewhere(Channel channel) {
        return task -> Elsewhere.execute(() -> {
            if (channel.isOpen()) {
                task.run();
            }
        });
    }

    private static @Nullable Tls of(Channel channel, TcpOptions options) {
        if (!options.tls().enabled() || channel instanceof DomainSocketChannel) {
            return null;
        }
        Tls tls = OF_LOOP.get().get(options.tls());
        if (tls == null) {
            throw new IllegalStateException(
                    Thread.currentThread().getName() + " is a loop that was made with other settings for TLS");
        }
        return tls;
    }

    /**
     * Puts TLS before the link of a connection that we begin, where it is to be used. On the loop's thread, before the
     * channel is connected.
     *
     * @param address as the user names it: what the certificate has to name
     * @param known whether the certificate is compared with one that is known already, instead of the name
     */
    static void connect(Channel channel, TcpOptions options, PeerAddress address, boolean known) {
        Tls tls = of(channel, options);
        if (tls == null) {
            return;
        }
        SslHandler handler = new TlsHandler(
                tls.contexts.client.newEngine(channel.alloc(), address.host(), address.port()), elsewhere(channel));
        SSLParameters parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(tls.spec.verifyHost() && !known ? "HTTPS" : null);
        handler.engine().setSSLParameters(parameters);
        put(
                channel,
                options,
                handler,
                new TlsGate(
                        any -> Remote.connectedTo(address),
                        (context, failure) -> context.fireExceptionCaught(failure)));
    }

    /**
     * Looks, before anybody can connect to this address of ours, whether there is a certificate to show.
     *
     * @throws Misconfigured if there has to be one
     */
    static void checkIdentity(TcpOptions options, PeerAddress local) {
        if (options.tls().enabled() && !options.tls().hasIdentity() && !local.isUnix()) {
            throw noIdentity(local);
        }
    }

    private static Misconfigured noIdentity(PeerAddress local) {
        return new Misconfigured("who connects to " + local
                + " needs to see a certificate: set weir.tls.certificate and" + " weir.tls.key, or weir.tls.key-store");
    }

    /**
     * Puts TLS before the link of a connection that has come to this address of ours, where it is to be used. On the
     * loop's thread, before the channel is registered or while it is. A handshake that fails is logged and reported.
     */
    static void accept(
            Channel channel, TcpOptions options, PeerAddress local, BiConsumer<SocketAddress, String> turnedAway) {
        Tls tls = of(channel, options);
        if (tls == null) {
            return;
        }
        SslHandler handler = new TlsHandler(tls.server(local).newEngine(channel.alloc()), elsewhere(channel));
        tls.comes(channel, handler, options.tlsHandshakes());
        put(
                channel,
                options,
                handler,
                new TlsGate(accepted -> Remote.acceptedFrom(accepted.remoteAddress(), local), (context, failure) -> {
                    String reason = String.valueOf(failure.getMessage());
                    tls.refusals.warn(reason);
                    turnedAway.accept(context.channel().remoteAddress(), reason);
                }));
    }

    /** Whoever comes is let in; if too many have not ended their handshake, the one that waits longest leaves. */
    private void comes(Channel channel, SslHandler handler, int most) {
        Channel oldest = null;
        synchronized (newcomers) {
            newcomers.add(channel);
            if (newcomers.size() > most) {
                oldest = newcomers.iterator().next();
                newcomers.remove(oldest);
            }
        }
        var unusedListener = handler.handshakeFuture().addListener(done -> gone(channel));
        var unusedToo = channel.closeFuture().addListener(done -> gone(channel));
        if (oldest != null) {
            refusals.warn("what connected from " + oldest.remoteAddress()
                    + " was closed before its TLS handshake ended: more than weir.transport.tcp.tls-handshakes=" + most
                    + " were made at once");
            var unused = oldest.close();
        }
    }

    private void gone(Channel channel) {
        synchronized (newcomers) {
            newcomers.remove(channel);
        }
    }

    private SslContext server(PeerAddress local) {
        SslContext server = contexts.server;
        if (server == null) {
            throw noIdentity(local);
        }
        return server;
    }

    private static void put(Channel channel, TcpOptions options, SslHandler handler, TlsGate gate) {
        // The other way, each byte that was read is copied for the sake of the record that a read has cut.
        handler.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR);
        handler.setHandshakeTimeoutMillis(options.connectTimeout().toMillis());
        handler.setCloseNotifyFlushTimeoutMillis(FAREWELL.toMillis());
        // Before anything was read, or it would have no effect.
        channel.config().setRecvByteBufAllocator(ReadBuffer.ofLoop().apart());
        channel.pipeline().addFirst(new TlsFarewell(), handler, gate);
    }
}
