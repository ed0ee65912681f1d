package io.weir.transport.verbs;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.RegisteredPool;
import io.weir.transport.rdma.RemoteLink;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Our half of a link over verbs that is being agreed on: a connection whose other half is joined when the peer's offer is here. Belongs to
 * the loop's thread; memory is registered and the connection joined on a thread of its own, which has the wire for so long.
 */
final class VerbsAgreement implements PendingLink {

    private final NettyLoop loop;
    private final String peer;
    private final VerbsOptions options;
    private final VerbsDomain domain;
    private final VerbsWire wire;
    private final byte[] offer;
    private final Disposable atLoopEnd = this::close;

    private @Nullable MonoSink<Link> result;
    /** Another thread has the wire. */
    private boolean making;

    /** How this came out: one of both, once. */
    private @Nullable Link link;

    private @Nullable WeirException failure;

    /** What the other thread has come to. Memory that was made is there even if it can't be used. */
    private record Outcome(
            @Nullable LinkMemory memory, @Nullable WeirException failure) {}

    private VerbsAgreement(
            LinkRequest request, NettyLoop loop, VerbsOptions options, VerbsDomain domain, VerbsWire wire) {
        this.loop = loop;
        this.peer = request.peer().id().toString();
        this.options = options;
        this.domain = domain;
        this.wire = wire;
        this.offer = wire.offer(options.plan()).encode();
    }

    static VerbsAgreement begin(LinkRequest request, NettyLoop loop) {
        VerbsOptions options = VerbsOptions.of(request.settings());
        VerbsDevice device = VerbsDevice.acquire(options.choice());
        VerbsDomain domain;
        try {
            domain = VerbsDomain.open(device);
        } finally {
            // The domain holds it.
            device.release();
        }
        try {
            // A slot of ours for each of the peer's, as far as we have as many.
            VerbsWire wire = VerbsWire.open(
                    domain, options.plan().slots(), options.plan().slots());
            VerbsAgreement agreement = new VerbsAgreement(request, loop, options, domain, wire);
            loop.closeAtEnd(agreement.atLoopEnd);
            return agreement;
        } catch (WeirException e) {
            domain.close();
            throw e;
        }
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
            VerbsOffer theirs = VerbsOffer.decode(offered);
            making = true;
            Thread thread = new Thread(() -> handOver(make(theirs)), loop.name() + "-verbs");
            thread.setDaemon(true);
            thread.start();
        } catch (WeirException e) {
            fail(e);
        } catch (OutOfMemoryError e) {
            making = false;
            fail(new PeerUnavailable("there is no thread to make a connection on: " + e.getMessage(), e));
        }
    }

    /** On a thread of its own: it takes milliseconds, in which the other links of the loop would stand still. */
    private Outcome make(VerbsOffer theirs) {
        LinkMemory memory = null;
        try {
            memory = LinkMemory.make(domain, options.plan(), theirs.plan());
            memory.makeReady(wire);
            wire.connect(theirs, options.retries());
            return new Outcome(memory, null);
        } catch (WeirException e) {
            return new Outcome(memory, e);
        } catch (Throwable e) {
            return new Outcome(memory, new PeerUnavailable("our half of the connection can't be made: " + e, e));
        }
    }

    private void handOver(Outcome outcome) {
        try {
            loop.execute(() -> made(outcome));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and left the wire to us.
            free(outcome.memory());
        }
    }

    private void made(Outcome outcome) {
        making = false;
        WeirException reason = failure != null ? failure : outcome.failure();
        LinkMemory memory = outcome.memory();
        MonoSink<Link> sink = result;
        if (reason != null || memory == null || sink == null) {
            free(memory);
            if (failure == null && reason != null) {
                fail(reason);
            }
            return;
        }
        try {
            RegisteredPool pool = new RegisteredPool(domain, options.poolBytes());
            Link made = new RemoteLink(VerbsTransport.NAME, loop, peer, wire, memory, pool, domain::close);
            link = made;
            loop.forget(atLoopEnd);
            sink.success(made);
        } catch (WeirException e) {
            free(memory);
            fail(e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            free(memory);
            fail(new PeerUnavailable("the connection's events can't be watched: " + e.getMessage(), e));
        }
    }

    /** The memory after the wire, whose slots lie in it. */
    private void free(@Nullable LinkMemory memory) {
        wire.close();
        if (memory != null) {
            memory.close();
        }
        domain.close();
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
        if (!making) {
            free(null);
        }
        if (result != null) {
            result.error(reason);
        }
    }
}
