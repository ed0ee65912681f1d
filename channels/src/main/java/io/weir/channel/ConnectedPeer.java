package io.weir.channel;

import io.netty.util.ReferenceCountUtil;
import io.weir.core.Codec;
import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.path.Promise;
import io.weir.peer.Identity;
import io.weir.peer.PathDecision;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The peer of a session: its channels and requests are made here. */
final class ConnectedPeer extends Peer {

    private final Ports ports;
    private final Askers askers = new Askers(this);

    /** One that has proved nothing. */
    ConnectedPeer(PeerId id, PathDecision path, Ports ports) {
        this(id, path, new Identity(false, null, id.name(), ""), "", ports);
    }

    /** @param ports of this node, which know who watches calls */
    ConnectedPeer(PeerId id, PathDecision path, Identity identity, String binding, Ports ports) {
        super(id, path, identity, binding);
        this.ports = ports;
    }

    /** Every peer is one. */
    static ConnectedPeer of(Peer peer) {
        return (ConnectedPeer) peer;
    }

    /** Who sends requests to this peer. */
    Askers askers() {
        return askers;
    }

    @Override
    void leaves() {
        super.leaves();
        askers.peerLeaves();
    }

    @Override
    public Mono<Channel> channel(String port) {
        return Promise.mono(
                outcome -> {
                    ChannelWaiter waiter = new ChannelWaiter(outcome);
                    session().execute(() -> session().open(port, 0, waiter, waiter::opened));
                },
                unwanted -> unwanted.execute(unwanted::end));
    }

    @Override
    public Mono<Void> tell(String port, Message message) {
        return new AskMono(this, port, message, false, null, ports.interceptor()).then();
    }

    @Override
    public <A> Mono<Void> tell(String port, A value, Codec<A> codec) {
        return Mono.defer(() -> tell(port, Message.of(codec.encode(value, allocator()))));
    }

    @Override
    public Mono<Message> ask(String port, Message message) {
        return new AskMono(this, port, message, true, null, ports.interceptor());
    }

    @Override
    public Mono<Message> ask(String port, Message message, Consumer<? super Message> late) {
        return new AskMono(this, port, message, true, Objects.requireNonNull(late, "late"), ports.interceptor());
    }

    @Override
    public <A, B> Mono<B> ask(String port, A request, Codec<A> requests, Codec<B> answers) {
        return Mono.defer(() -> Decoding.value(session().longValues(), asking(port, request, requests), answers));
    }

    /** The value of whoever has the loop may be written where the path takes it. */
    private <A> Mono<Message> asking(String port, A request, Codec<A> codec) {
        return codec instanceof InPlaceCodec<A> inPlace
                        && ports.interceptor() == null
                        && session().loop().inLoop()
                ? new UnsentValue<>(request, inPlace).asked(askers(), port)
                : ask(port, Message.of(codec.encode(request, allocator())));
    }

    @Override
    public Flux<Message> stream(String port, Message request) {
        return stream(port, request, Channel::receive);
    }

    private <B> Flux<B> stream(String port, Message request, Function<Channel, Flux<B>> received) {
        AtomicBoolean used = new AtomicBoolean();
        AtomicReference<@Nullable Message> unsent = new AtomicReference<>(request);
        return Flux.defer(() -> used.compareAndSet(false, true)
                ? watched(
                                CallKind.STREAM,
                                port,
                                channel -> Mono.fromSupplier(() -> unsent.getAndSet(null))
                                        .flux(),
                                received)
                        .doFinally(signal -> ReferenceCountUtil.release(unsent.getAndSet(null)))
                : Flux.error(AskMono.used(port)));
    }

    @Override
    public <A, B> Flux<B> stream(String port, A request, Codec<A> requests, Codec<B> items) {
        return Flux.defer(() -> {
            Message message = Message.of(requests.encode(request, allocator()));
            return stream(port, message, channel -> channel.receive(items));
        });
    }

    @Override
    public Flux<Message> exchange(String port, Flux<Message> source) {
        return watched(CallKind.EXCHANGE, port, channel -> source, Channel::receive);
    }

    private <B> Flux<B> watched(
            CallKind kind, String port, Function<Channel, Flux<Message>> source, Function<Channel, Flux<B>> received) {
        CallInterceptor interceptor = ports.interceptor();
        if (interceptor == null) {
            return exchanged(port, source, received);
        }
        CallDescription call = new CallDescription(kind, this, port, null);
        return Flux.deferContextual(context -> {
            OutgoingCall watched = interceptor.calling(call, context);
            return watched == null
                    ? exchanged(port, source, received)
                    : Watching.over(
                            exchanged(port, channel -> announced(source.apply(channel), call, watched), received),
                            watched,
                            false);
        });
    }

    /** The first message carries what the call adds. */
    private static Flux<Message> announced(Flux<Message> source, CallDescription call, OutgoingCall watched) {
        AtomicBoolean begun = new AtomicBoolean();
        return source.map(message -> begun.getPlain() || begun.getAndSet(true)
                ? message
                : message.with(watched.sending(call, message.control())));
    }

    /** As {@link #exchange(String, Flux)}, past all interceptors. */
    <B> Flux<B> exchanged(String port, Function<Channel, Flux<Message>> source, Function<Channel, Flux<B>> received) {
        return channel(port).flatMapMany(channel -> exchange(channel, source.apply(channel), received.apply(channel)));
    }

    /**
     * Both halves as one: what fails the sending half fails the receiving one as well, so its own signals need not be
     * looked at; who stops receiving stops sending.
     */
    private static <B> Flux<B> exchange(Channel channel, Publisher<Message> source, Flux<B> received) {
        return Flux.deferContextual(context -> {
            Disposable.Swap sending = Disposables.swap();
            return received.doOnSubscribe(subscription -> sending.replace(
                            channel.send(source).contextWrite(context).subscribe(nothing -> {}, error -> {})))
                    .doFinally(signal -> sending.dispose());
        });
    }

    @Override
    public <A, B> Function<Flux<A>, Flux<B>> stage(String port, Codec<A> request, Codec<B> answer) {
        return source -> watched(
                CallKind.EXCHANGE,
                port,
                channel -> Encoding.messages(source, request, channel::allocator),
                channel -> channel.receive(answer));
    }
}
