package io.weir.transport.rdma;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Our half of a link over RDMA that is being agreed on: a connection whose other half is joined when the peer's offer
 * is here. Belongs to the loop's thread; memory is registered and the connection joined on a thread of its own, which
 * has the wire for so long.
 */
public final class RemoteAgreement implements PendingLink {

    /** What an adapter brings. Made on the loop's thread; the thread that joins it has it while it does. */
    public interface Half {

        /** Where the memory of the link is registered. */
        Domain domain();

        /** Our half of the connection. Closed by whoever has it in the end, before {@link #close}. */
        Wire wire();

        /** How we receive. */
        SlotPlan plan();

        /** What the peer needs to join its half with ours. */
        byte[] offer();

        /**
         * Reads what the peer needs us to know, for {@link #join}. Returns how the peer receives.
         *
         * @throws io.weir.core.ProtocolMismatch if it can't be used
         */
        SlotPlan read(byte[] theirs);

        /**
         * Joins our half with the other one, when our slots are ready. May take as long as that does, if
         * {@link #giveUp} ends it.
         *
         * @throws WeirException if it can't be joined
         */
        void join();

        /** Nobody waits for {@link #join} any more. Thread-safe. */
        void giveUp();

        /**
         * Frees all that is left when the wire is closed and quiet, and the link's memory closed. On any thread, once.
         */
        void close();
    }

    private final NettyLoop loop;
    private final String transport;
    private final String peer;
    private final long poolBytes;
    private final Half half;
    private final byte[] offer;
    private final Disposable atLoopEnd = this::close;

    private @Nullable MonoSink<Link> result;
    /** Another thread has the wire. */
    private boolean making;

    /** Nothing is left of our half. */
    private boolean freed;

    /** How this came out: one of both, once. */
    private @Nullable Link link;

    private @Nullable WeirException failure;

    /** What the other thread has come to. Memory that was made is there even if it can't be used. */
    private record Outcome(
            @Nullable LinkMemory memory, @Nullable WeirException failure) {}

    private RemoteAgreement(LinkRequest request, NettyLoop loop, String transport, long poolBytes, Half half) {
        this.loop = loop;
        this.transport = transport;
        this.peer = request.peer().id().toString();
        this.poolBytes = poolBytes;
        this.half = half;
        this.offer = half.offer();
    }

    /**
     * Begins with our half, which belongs to the agreement from here on. On the loop's thread.
     *
     * @param transport the path's name
     * @param poolBytes how much memory the link may register for long bodies
     */
    public static RemoteAgreement begin(
            LinkRequest request, NettyLoop loop, String transport, long poolBytes, Half half) {
        RemoteAgreement agreement = new RemoteAgreement(request, loop, transport, poolBytes, half);
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
            byte[] theirs = offered.clone();
            making = true;
            Thread thread = new Thread(() -> handOver(make(theirs)), loop.name() + "-" + transport);
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) {
            making = false;
            fail(new PeerUnavailable("there is no thread to make a connection on: " + e.getMessage(), e));
        }
    }

    /** On a thread of its own: it takes milliseconds, in which the other links of the loop would stand still. */
    private Outcome make(byte[] offered) {
        LinkMemory memory = null;
        try {
            SlotPlan theirs = half.read(offered);
            memory = LinkMemory.make(
                    half.domain(), half.plan(), theirs, half.wire().trailerBytes());
            memory.makeReady(half.wire());
            half.join();
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
            RegisteredPool pool = new RegisteredPool(half.domain(), poolBytes);
            Link made = new RemoteLink(transport, loop, peer, half.wire(), memory, pool, half::close);
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
        freed = true;
        half.wire().close(() -> {
            if (memory != null) {
                memory.close();
            }
            half.close();
        });
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
        if (making) {
            half.giveUp();
        } else if (!freed) {
            free(null);
        }
        if (result != null) {
            result.error(reason);
        }
    }
}
