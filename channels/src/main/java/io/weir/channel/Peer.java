package io.weir.channel;

import static reactor.core.publisher.Sinks.EmitFailureHandler.FAIL_FAST;

import io.netty.buffer.ByteBufAllocator;
import io.weir.config.PathPolicy;
import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.path.Errors;
import io.weir.path.PathHistory;
import io.weir.path.Promise;
import io.weir.peer.Identity;
import io.weir.peer.PathDecision;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Another node that this one is connected to. All channels to it share one link. Any thread may use a peer.
 */
public abstract class Peer {

    /** Decisions that are remembered. */
    static final int HISTORY = PathHistory.LENGTH;

    private final PeerId id;
    private final Identity identity;
    private final String binding;
    private final PathHistory history;
    private @Nullable Session session;
    private volatile boolean ended;
    private final Sinks.Empty<Void> leaving = Sinks.empty();
    private volatile boolean leaves;

    Peer(PeerId id, PathDecision path, Identity identity, String binding) {
        this.id = id;
        this.identity = identity;
        this.binding = binding;
        this.history = new PathHistory(path);
    }

    PathHistory history() {
        return history;
    }

    /** Nothing is decided any more. On the loop, or when it has ended. */
    void ended() {
        ended = true;
        leaving.emitEmpty((signal, result) -> false);
        history.end();
    }

    /** It has said that it is going to leave. On the loop. */
    void leaves() {
        leaves = true;
        leaving.emitEmpty(FAIL_FAST);
    }

    /** Whether the connection is over. Any thread. */
    boolean hasEnded() {
        return ended;
    }

    /** Why the connection is over, once it {@link #hasEnded}. */
    String endText() {
        return Errors.text(Objects.requireNonNull(session().endedWith()));
    }

    void session(Session its) {
        session = its;
    }

    Session session() {
        return Objects.requireNonNull(session);
    }

    /**
     * Whether it has said that it is going to leave ({@link Node#leave}). What is under way goes on, and what is begun
     * fails with {@link io.weir.core.PeerUnavailable}: nothing of it was sent.
     */
    public boolean isLeaving() {
        return leaves;
    }

    /**
     * Completes, on the loop, when the peer {@linkplain #isLeaving says that it is going to leave}, or when the
     * connection has ended.
     */
    public Mono<Void> leaving() {
        return leaving.asMono();
    }

    /** Who it is, as it says. */
    public PeerId id() {
        return id;
    }

    /** Who it is, and how far it has proved that. Does not change while it is connected. */
    public Identity identity() {
        return identity;
    }

    /**
     * What both ends know of the encrypted connection over which they have met, and what no other connection has; empty
     * if it was not encrypted. A further proof is bound to it, so that it can't be passed on. Does not change while it
     * is connected.
     */
    public String binding() {
        return binding;
    }

    /** Which path connects us now, and why. */
    public PathDecision path() {
        return history.present();
    }

    /**
     * The last {@value #HISTORY} decisions, the present one at the end: what has moved this connection, when and why.
     */
    public List<PathDecision> pathHistory() {
        return history.all();
    }

    /**
     * As {@link #pathHistory()}, and then each further decision as it is made, on the loop, until the connection ends.
     * Who asks for nothing misses nothing of the last {@value #HISTORY}.
     */
    public Flux<PathDecision> paths() {
        return history.decisions();
    }

    /**
     * Moves this connection to another path, without a loss or a gap for streams over it, and keeps it there:
     * it does not climb back to a better path by itself unless this one is lost. Either side may ask; the one that has
     * connected decides. Completes when both sides go over it; fails with {@link io.weir.core.Refused} if the path
     * can't be used, with the reason, or if the connection is just changing its path.
     */
    public Mono<PathDecision> moveTo(String path) {
        return Promise.mono(promise -> session().execute(() -> session().link().moveTo(path, promise)), moved -> {});
    }

    /**
     * Changes the order of the paths to this peer, for as long as the connection lasts: what the order says is put over
     * the present one, and the best path by it that can be opened is gone to at once, without a loss or a gap, also
     * where {@link #moveTo} has wanted another one. A path that it does not name is left. Yields the path that is used
     * then, with the reasons against better ones. Fails with {@link io.weir.core.Misconfigured} for an order that the
     * configuration could not have either, or one to be measured; with {@link io.weir.core.PathRequired} if it requires
     * a path that does not lead to this peer; with {@link io.weir.core.Refused} if the peer has made the connection,
     * where its order counts, if the connection is just changing its path, or if it would have to leave its path and
     * none of the new order can be opened, with the reason for each. The present order stays then.
     */
    public Mono<PathDecision> reorder(PathPolicy order) {
        return Promise.mono(promise -> session().execute(() -> session().link().reorder(order, promise)), moved -> {});
    }

    /**
     * Breaks every link to this peer but the bootstrap connection, as a failing device would, to rehearse what a loss
     * does. What was under way goes once more over the next path; where there is none, or {@code weir.repath} is off,
     * the connection ends. Completes when they are broken; fails with {@link io.weir.core.Refused} if there is none.
     */
    public Mono<Void> cut() {
        return Promise.<Boolean>mono(
                        promise -> session().execute(() -> session().link().cut(promise)), done -> {})
                .then();
    }

    /**
     * How it stands with the open channels to this peer, the first {@value Session#CHANNELS_SHOWN} of them if there are
     * more, in the order of their numbers. Looked up on the loop, so it costs the others a moment: for who wants to
     * see, not for every message. Empty when the connection is over.
     */
    public Mono<List<ChannelStats>> channels() {
        return Promise.mono(
                promise -> session().execute(() -> promise.success(session().channelStats())), unwanted -> {});
    }

    /** What has gone between the node and this peer, and how it stands. */
    public PeerStats stats() {
        return session().stats();
    }

    /** Memory for payloads that suits the path to this peer best; see {@link Channel#allocator()}. */
    public ByteBufAllocator allocator() {
        return session().allocator();
    }

    /**
     * Opens a channel to this port of the peer. Completes when the peer has accepted it; fails with
     * {@link io.weir.core.Refused} if nobody serves the port. Each subscription opens a channel of its own, which must
     * be used or closed.
     */
    public abstract Mono<Channel> channel(String port);

    /**
     * Sends one message to this port, for which no answer is expected. Completes when it is on the wire, within the
     * credit that the peer gives. Subscribing gives the message away; cancelling drops it while it waits for credit.
     * What its channel has taken then is sent all the same, also where it is not on the wire yet.
     */
    public abstract Mono<Void> tell(String port, Message message);

    /** As {@link #tell(String, Message)}, but a value through a codec, and again with each subscription. */
    public abstract <A> Mono<Void> tell(String port, A value, Codec<A> codec);

    /**
     * Sends a request to this port and yields the answer, which belongs to the subscriber. Fails with
     * {@link io.weir.core.RemoteFailure} if the handler failed, with {@link io.weir.core.Refused} if the port answers
     * no requests. Subscribing gives the message away, once; cancelling informs the peer.
     */
    public abstract Mono<Message> ask(String port, Message message);

    /**
     * As {@link #ask(String, Message)}, for answers that bring something that has to be given back: one that was on its
     * way when the subscriber cancelled is shown to {@code late}, on the loop, and released behind that.
     */
    public abstract Mono<Message> ask(String port, Message message, Consumer<? super Message> late);

    /**
     * As {@link #ask(String, Message)}, but values through codecs, so that nothing has to be released. Each
     * subscription sends the request again.
     */
    public abstract <A, B> Mono<B> ask(String port, A request, Codec<A> requests, Codec<B> answers);

    /**
     * Sends a request and yields the stream with which the peer answers, within the subscriber's demand. Subscribing
     * gives the message away, once.
     */
    public abstract Flux<Message> stream(String port, Message request);

    /**
     * As {@link #stream(String, Message)}, but values through codecs, so that nothing has to be released. Each
     * subscription sends the request again.
     */
    public abstract <A, B> Flux<B> stream(String port, A request, Codec<A> requests, Codec<B> items);

    /** Sends this stream to a port and yields what the peer sends back: the interaction "channel" as one operator. */
    public abstract Flux<Message> exchange(String port, Flux<Message> source);

    /**
     * A stage of a pipeline that runs at the peer: {@code flux.transform(peer.stage("resize", codecOfA, codecOfB))}
     * sends what the flux emits and goes on with what the port's handler makes of it. Demand, errors and cancellation
     * pass through.
     */
    public abstract <A, B> Function<Flux<A>, Flux<B>> stage(String port, Codec<A> request, Codec<B> answer);

    /**
     * Says goodbye and ends the connection: what was sent before is delivered, what is under way fails at both sides.
     */
    public Mono<Void> close() {
        return Mono.defer(() -> session().leaving().leave("closed by its user"));
    }

    @Override
    public String toString() {
        return "Peer[" + id + " over " + path().chosen() + ']';
    }
}
