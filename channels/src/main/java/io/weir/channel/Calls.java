package io.weir.channel;

import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * For what makes and serves calls of a kind of its own, over messages that are none: sends and serves past the
 * {@link CallInterceptor}s of the node, and shows them the calls itself. Everything else is as with {@link Peer} and
 * {@link Node}.
 */
public final class Calls {

    private Calls() {}

    /** As {@link Peer#tell(String, Message)}. */
    public static Mono<Void> tell(Peer peer, String port, Message message) {
        return new AskMono(ConnectedPeer.of(peer), port, message, false, null, null).then();
    }

    /** As {@link Peer#ask(String, Message)}. */
    public static Mono<Message> ask(Peer peer, String port, Message message) {
        return new AskMono(ConnectedPeer.of(peer), port, message, true, null, null);
    }

    /** As {@link Peer#ask(String, Message, Consumer)}. */
    public static Mono<Message> ask(Peer peer, String port, Message message, Consumer<? super Message> late) {
        return new AskMono(ConnectedPeer.of(peer), port, message, true, late, null);
    }

    /** As {@link #exchange(Peer, String, Flux)}, and what comes is read as {@link Channel#receive(Codec)} does. */
    public static <T> Flux<T> exchange(Peer peer, String port, Flux<Message> source, Codec<T> codec) {
        return ConnectedPeer.of(peer).exchanged(port, channel -> source, channel -> channel.receive(codec));
    }

    /**
     * What comes in on this channel behind the first message, which {@code first} takes over on the loop, read as
     * {@link Channel#receive(Codec)} does. The first message uses up an item of the demand.
     */
    public static <T> Flux<T> receiveBehind(Consumer<Message> first, Channel channel, Codec<T> codec) {
        return channel.receive(codec, Objects.requireNonNull(first, "first"));
    }

    /** As {@link Peer#exchange(String, Flux)}. */
    public static Flux<Message> exchange(Peer peer, String port, Flux<Message> source) {
        return ConnectedPeer.of(peer).exchanged(port, channel -> source, Channel::receive);
    }

    /** As {@link Node#answer(String, BiFunction)}. */
    public static Disposable answer(
            Node node, String port, BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler) {
        return node.served(port, new AnswerHandler(node.ports(), handler, false));
    }

    /** As {@link Node#serve(String, Function)}. */
    public static Disposable serve(
            Node node, String port, Function<? super Channel, ? extends Publisher<Void>> handler) {
        return node.served(port, new ServeHandler(node.ports(), handler, false));
    }

    /**
     * What a handler yields for the value of a request, which is released; as
     * {@link Node#answer(String, Codec, Codec, Function)}. To be subscribed to once.
     */
    public static <A, B> Mono<B> decoded(
            Peer from, Message request, Codec<A> codec, Function<? super A, ? extends Publisher<? extends B>> handler) {
        return Decoding.one(from.session().longValues(), request, codec, handler);
    }

    /**
     * Takes a long message over and reads it as {@link Channel#receive(Codec)} does: not on a loop, and one at a time
     * for each peer.
     *
     * @param outcome of the value, or of why there is none; on the loop, once
     */
    public static <T> void read(
            Peer from,
            Message message,
            Codec<T> codec,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> outcome) {
        Session session = from.session();
        session.execute(() -> {
            var unused = session.longValues().read(message, MessageCost.of(message), codec, outcome::accept);
        });
    }

    /**
     * For what a request brings. Its own bytes are in the account of memory until it is answered or given up.
     *
     * @param bytes of the request
     */
    public static HeldMemory memoryOfRequest(Peer from, int bytes) {
        return memoryOfRequest(from, bytes, 0);
    }

    /**
     * For what a request brings that is most often answered in the same turn of the loop: the account knows of it only
     * when it is {@link HeldMemory#settle settled}, because it was not.
     *
     * @param bytes of the request
     */
    public static HeldMemory momentOfRequest(Peer from, int bytes) {
        return memoryOfRequest(from, bytes, from.session().memory().moment());
    }

    private static HeldMemory memoryOfRequest(Peer from, int bytes, long moment) {
        return new HeldMemory(from.session().memory(), MemoryUse.REQUESTS, bytes + (long) MemoryAccount.ITEM, moment);
    }

    /**
     * Who shares what peers may have with this one: those of the same certificate, or from the same place; to be
     * compared by equals.
     */
    public static Object identity(Peer peer) {
        return peer.session().memory().identity();
    }

    /** For what this peer has sent and the account of memory does not have. */
    public static HeldMemory memory(Peer from) {
        return new HeldMemory(from.session().memory(), MemoryUse.REQUESTS, 0);
    }

    /**
     * As {@link Node#stream(String, Codec, Codec, Function)}.
     *
     * @param gate throws to refuse a peer, when it opens a channel
     */
    public static <A, B> Disposable stream(
            Node node,
            String port,
            Consumer<Peer> gate,
            Codec<A> requests,
            Codec<B> items,
            Function<? super A, ? extends Publisher<? extends B>> handler) {
        return node.stream(port, gate, requests, items, handler);
    }

    /**
     * Ends a call as this ends, or with its first item, and gives it the call's context.
     *
     * @param work to be subscribed to once
     * @param call of {@link Node#interceptor}, which ignores all reports of an end but the first
     */
    public static <T> Mono<T> watch(Mono<T> work, WatchedCall call) {
        return Watching.over(work, call);
    }

    /**
     * Ends a call as this ends, and gives it the call's context.
     *
     * @param work to be subscribed to once
     * @param call as with {@link #watch(Mono, WatchedCall)}
     */
    public static <T> Flux<T> watch(Flux<T> work, WatchedCall call) {
        return Watching.over(work, call, false);
    }
}
