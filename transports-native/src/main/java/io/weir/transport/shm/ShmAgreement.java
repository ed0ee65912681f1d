package io.weir.transport.shm;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.SlowCalls;
import io.weir.transport.nativelib.UnixSocket;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * Our half of a link in shared memory that is being agreed on. Both sides find each other on a socket, where the system
 * says whose process the other one is; then each makes its half and passes it, and the socket stays as the lifeline of
 * the link. Belongs to the loop's thread.
 */
final class ShmAgreement implements PendingLink {

    private final NettyLoop loop;
    private final boolean connecting;
    private final String peer;
    private final ShmOptions options;
    private final MemoryBudget budget;
    private final Nonce nonce = Nonce.random();
    private final byte[] offer;
    private final Disposable atLoopEnd = this::close;

    /** Where we wait for the other side, if it is the one that connects and has not come yet. */
    private @Nullable Rendezvous rendezvous;

    private @Nullable ShmOffer theirOffer;
    private @Nullable MonoSink<Link> result;

    /** With the one who proved that it has our offer. */
    private @Nullable Meeting meeting;

    private boolean making;
    private @Nullable ShmHalf ours;
    private boolean passing;
    private boolean passed;
    private @Nullable ShmHalf theirs;

    /** How this came out: one of both, once. */
    private @Nullable ShmLink link;

    /** Read by who makes our half as well. */
    private volatile @Nullable WeirException failure;

    private ShmAgreement(LinkRequest request, NettyLoop loop, MemoryBudget budget) {
        this.loop = loop;
        this.budget = budget;
        this.connecting = request.connecting();
        this.peer = request.peer().id().toString();
        this.options = ShmOptions.of(request.settings());
        String socket = "";
        if (!connecting) {
            Rendezvous here = Rendezvous.open(request.settings().runtimeFolder(), loop, this::meet);
            rendezvous = here;
            socket = here.path();
        }
        this.offer = new ShmOffer(options.layout(), nonce, socket).encode();
    }

    static ShmAgreement begin(LinkRequest request, NettyLoop loop, MemoryBudget budget) {
        if (SlowCalls.areLate()) {
            throw new PeerUnavailable(
                    "shared memory can't be agreed on just now: connecting to other processes, or closing what they"
                            + " have passed to this one, takes long");
        }
        ShmAgreement agreement = new ShmAgreement(request, loop, budget);
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
        WeirException failed = failure;
        if (failed != null) {
            sink.error(failed);
            return;
        }
        if (result != null) {
            sink.error(new IllegalStateException("a pending link is completed once"));
            return;
        }
        result = sink;
        try {
            ShmOffer other = ShmOffer.decode(offered, connecting);
            theirOffer = other;
            if (connecting) {
                connect(other.socket());
            } else if (meeting != null) {
                meeting.greet(other.nonce());
                goOn();
            }
        } catch (WeirException e) {
            fail(e);
        }
    }

    /** Not on the loop: it takes milliseconds, in which the other links of this loop would stand still. */
    private void makeOurs() {
        making = true;
        try {
            var unused = Schedulers.boundedElastic().schedule(this::makeUnlessFailed);
        } catch (RejectedExecutionException e) {
            fail(new PeerUnavailable("our shared memory can't be made: too much other work waits to be done", e));
        }
    }

    private void makeUnlessFailed() {
        if (failure != null) {
            return;
        }
        try {
            ShmHalf made = ShmHalf.make(options.layout(), budget, options.memory());
            handOver(() -> made(made), made::close);
        } catch (WeirException e) {
            handOver(() -> fail(e), () -> {});
        } catch (Throwable e) {
            handOver(() -> fail(new PeerUnavailable("our shared memory can't be made: " + e, e)), () -> {});
        }
    }

    /** The other step if the loop has ended, and this agreement with it. */
    private void handOver(Runnable step, Runnable otherwise) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    private void made(ShmHalf half) {
        if (failure != null) {
            half.close();
            return;
        }
        ours = half;
        goOn();
    }

    /** Not on the loop: the path leads where the peer likes. */
    private void connect(String path) {
        SlowCalls.run(() -> {
            try {
                UnixSocket socket = UnixSocket.connect(path);
                handOver(() -> connected(socket), socket::close);
            } catch (NativeFailure e) {
                String text = "the peer's socket " + path + " can't be reached (" + e.getMessage()
                        + "): the peer has given up, or its folder is not visible here, as in another container";
                handOver(() -> fail(new PeerUnavailable(text, e)), () -> {});
            } catch (Throwable e) {
                handOver(() -> fail(new PeerUnavailable("the peer's socket can't be reached: " + e, e)), () -> {});
            }
        });
    }

    /** If we have given up meanwhile, the other side hears so. */
    private void connected(UnixSocket socket) {
        Meeting begun = meet(socket);
        begun.begin();
        if (failure == null) {
            meeting = begun;
        } else {
            begun.close();
        }
    }

    private Meeting meet(UnixSocket socket) {
        return new Meeting(this, loop, socket, connecting, nonce);
    }

    /** The connection to the listening side stands: the connecting side speaks first. */
    void connected(Meeting connected) {
        ShmOffer other = theirOffer;
        if (connecting && other != null) {
            connected.greet(other.nonce());
        }
    }

    /** The other side has proved that it has our offer. */
    void met(Meeting proven) {
        Rendezvous here = rendezvous;
        if (here != null) {
            rendezvous = null;
            meeting = proven;
            here.close(proven);
            if (theirOffer != null) {
                proven.greet(theirOffer.nonce());
            }
        }
        goOn();
    }

    /** What the other side passes has to look like this. */
    SegmentLayout layoutOfTheirs() {
        ShmOffer other = theirOffer;
        if (other == null) {
            throw new ProtocolMismatch("the peer passes memory before its offer has come");
        }
        return other.layout();
    }

    /** The other side has passed its segment, which belongs to us now. */
    void received(ShmHalf half) {
        theirs = half;
        goOn();
    }

    /** This one has ended. */
    void left(Meeting guest) {
        if (rendezvous != null) {
            rendezvous.left(guest);
        }
    }

    /** The other side has ours. */
    void passed() {
        passed = true;
        goOn();
    }

    private void goOn() {
        Meeting here = meeting;
        if (here == null || !here.isProven() || theirOffer == null || failure != null) {
            return;
        }
        ShmHalf made = ours;
        if (made == null) {
            // Only now: what was said over the bootstrap connection of host and user is a claim, and the memory is
            // real.
            if (!making) {
                makeOurs();
            }
            return;
        }
        // The connecting side passes first, which tells the other one that it may pass, too.
        if (!passing && (connecting || theirs != null)) {
            passing = true;
            here.pass(made);
        } else if (passed && theirs != null) {
            succeed(here, made, theirs);
        }
    }

    private void succeed(Meeting here, ShmHalf made, ShmHalf got) {
        MonoSink<Link> sink = result;
        if (sink == null) {
            return;
        }
        ShmPort port = new ShmPort(made, got, here, here.doorbell());
        ShmLink opened = new ShmLink(loop, port, options.copyIn(), peer);
        link = opened;
        loop.forget(atLoopEnd);
        sink.success(opened);
    }

    /** The other side rings. */
    void rung() {
        if (link != null) {
            link.rouse();
        }
    }

    /** The socket has ended: before the link was open, or as its lifeline. */
    void ended(WeirException reason) {
        if (link != null) {
            link.peerGone();
        } else {
            fail(reason);
        }
    }

    /** The other side did what it must not do. */
    void broken(WeirException reason) {
        if (link != null) {
            link.breaks(reason);
        } else {
            fail(reason);
        }
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
            fail(new PeerUnavailable("the shared memory with " + peer + " was given up before it was agreed on"));
        }
    }

    private void fail(WeirException reason) {
        if (failure != null || link != null) {
            return;
        }
        failure = reason;
        loop.forget(atLoopEnd);
        if (rendezvous != null) {
            rendezvous.close(null);
        }
        if (meeting != null) {
            meeting.close();
        }
        if (theirs != null) {
            theirs.close();
        }
        if (ours != null) {
            ours.close();
        }
        if (result != null) {
            result.error(reason);
        }
    }
}
