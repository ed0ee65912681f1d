package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.core.PeerId;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Another node that this one is connected to. All channels to it share one link. Any thread may use a peer.
 */
public final class Peer {

    private final PeerId id;
    private final PathDecision path;
    private @Nullable Session session;

    Peer(PeerId id, PathDecision path) {
        this.id = id;
        this.path = path;
    }

    void session(Session its) {
        session = its;
    }

    Session session() {
        return Objects.requireNonNull(session);
    }

    /** Who it is. */
    public PeerId id() {
        return id;
    }

    /** Which path connects us, and why. */
    public PathDecision path() {
        return path;
    }

    /** Memory for payloads that suits the path to this peer best; see {@link Channel#allocator()}. */
    public ByteBufAllocator allocator() {
        return session().link().allocator();
    }

    /**
     * Opens a channel to this port of the peer. Completes when the peer has accepted it; fails with
     * {@link io.weir.core.Refused} if nobody serves the port. Each subscription opens a channel of its own, which must be
     * used or closed.
     */
    public Mono<Channel> channel(String port) {
        return Handover.mono(
                outcome -> {
                    Ports.checkName(port);
                    ChannelWaiter waiter = new ChannelWaiter(outcome);
                    session().execute(() -> session().open(port, 0, waiter, waiter::opened));
                },
                unwanted -> unwanted.execute(unwanted::end));
    }

    /**
     * Sends one message to this port, for which no answer is expected. Completes when it is on the wire, within the credit that
     * the peer gives. Subscribing gives the message away; cancelling drops it if it was not sent yet.
     */
    public Mono<Void> tell(String port, Message message) {
        return new AskMono(session(), port, message, false).then();
    }

    /** As {@link #tell(String, Message)}, but a value through a codec, and again with each subscription. */
    public <A> Mono<Void> tell(String port, A value, Codec<A> codec) {
        return Mono.defer(() -> tell(port, Channel.encode(value, codec, allocator())));
    }

    /**
     * Sends a request to this port and yields the answer, which belongs to the subscriber. Fails with
     * {@link io.weir.core.RemoteFailure} if the handler failed, with {@link io.weir.core.Refused} if the port answers no requests.
     * Subscribing gives the message away, once; cancelling tells the peer.
     */
    public Mono<Message> ask(String port, Message message) {
        return new AskMono(session(), port, message, true);
    }

    /**
     * As {@link #ask(String, Message)}, but values through codecs, so that nothing has to be released. Each subscription sends the
     * request again.
     */
    public <A, B> Mono<B> ask(String port, A request, Codec<A> requests, Codec<B> answers) {
        return Mono.defer(() -> ask(port, Channel.encode(request, requests, allocator())))
                .map(answer -> Channel.decode(answer, answers));
    }

    /**
     * Sends a request and yields the stream with which the peer answers, within the subscriber's demand. Subscribing gives the
     * message away, once.
     */
    public Flux<Message> stream(String port, Message request) {
        AtomicBoolean used = new AtomicBoolean();
        AtomicReference<@Nullable Message> unsent = new AtomicReference<>(request);
        return Flux.defer(() -> used.compareAndSet(false, true)
                ? exchange(port, Mono.fromSupplier(() -> unsent.getAndSet(null)).flux())
                        .doFinally(signal -> ReferenceCountUtil.release(unsent.getAndSet(null)))
                : Flux.error(AskMono.used(port)));
    }

    /**
     * As {@link #stream(String, Message)}, but values through codecs, so that nothing has to be released. Each subscription sends
     * the request again.
     */
    public <A, B> Flux<B> stream(String port, A request, Codec<A> requests, Codec<B> items) {
        return Flux.defer(() -> stream(port, Channel.encode(request, requests, allocator())))
                .map(item -> Channel.decode(item, items));
    }

    /** Sends this stream to a port and yields what the peer sends back: the interaction "channel" as one operator. */
    public Flux<Message> exchange(String port, Flux<Message> source) {
        return channel(port).flatMapMany(channel -> exchange(channel, source));
    }

    /**
     * Both halves as one: what fails the sending half fails the receiving one as well, so its own signals need not be looked at;
     * who stops receiving stops sending.
     */
    private static Flux<Message> exchange(Channel channel, Publisher<Message> source) {
        return Flux.deferContextual(context -> {
            Disposable.Swap sending = Disposables.swap();
            return channel.receive()
                    .doOnSubscribe(subscription -> sending.replace(
                            channel.send(source).contextWrite(context).subscribe(nothing -> {}, error -> {})))
                    .doFinally(signal -> sending.dispose());
        });
    }

    /**
     * A stage of a pipeline that runs at the peer: {@code flux.transform(peer.stage("resize", codecOfA, codecOfB))} sends what the
     * flux emits and goes on with what the port's handler makes of it. Demand, errors and cancellation pass through.
     */
    public <A, B> Function<Flux<A>, Flux<B>> stage(String port, Codec<A> request, Codec<B> answer) {
        return source -> channel(port)
                .flatMapMany(channel -> exchange(
                                channel, source.map(value -> Channel.encode(value, request, channel.allocator())))
                        .map(message -> Channel.decode(message, answer)));
    }

    /** Says goodbye and ends the connection: what was sent before is delivered, what is under way fails at both sides. */
    public Mono<Void> close() {
        return Mono.defer(() -> session().left("closed by its user"));
    }

    @Override
    public String toString() {
        return "Peer[" + id + " over " + path.chosen() + ']';
    }
}
