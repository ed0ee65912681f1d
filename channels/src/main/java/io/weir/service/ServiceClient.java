package io.weir.service;

import io.netty.util.ReferenceCountUtil;
import io.weir.channel.Channel;
import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.remote.Callee;
import io.weir.service.remote.Callees;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A service, as it is called: each call goes to one of the instances that are connected, as the balancer chooses. From
 * the first call on the client follows the directory and stays connected to up to 8 instances; who is started anew, or
 * comes in the place of another one, is connected to by itself. Any thread may use it.
 *
 * <p><b>Errors.</b> While no instance can be reached, a call waits, up to the limit
 * ({@code weir.services.<service>.wait}). Then it fails with {@link io.weir.core.PeerUnavailable}, which says why;
 * nothing was sent. If nothing but a wrong or missing password is in the way, it fails at once, with
 * {@link io.weir.core.AuthenticationFailed}. Everything else is as with {@link io.weir.channel.Peer}. A call that has
 * failed is not repeated by itself; subscribed to again, it goes to an instance that lives:
 * {@code retryWhen(Retry.backoff(…).filter(WeirException::mayRepeat))}.
 */
public final class ServiceClient {

    private final String name;
    private final Whereabouts whereabouts;
    private final Roster roster;

    ServiceClient(String name, Whereabouts whereabouts, Roster roster) {
        this.name = name;
        this.whereabouts = whereabouts;
        this.roster = roster;
    }

    /** What it is asked for by. */
    public String name() {
        return name;
    }

    /**
     * The live instances, as the directory sees them: now, and after each change. Of {@link Services#at}: the one,
     * whether it lives or not.
     */
    public Flux<List<ServiceInstance>> instances() {
        return whereabouts.instances();
    }

    /**
     * Opens a channel to an instance. Each subscription opens a channel of its own, which must be used or closed. For a
     * balancer that counts, this call ends when the channel is open.
     */
    public Mono<Channel> channel() {
        return mono(callee -> callee.peer().channel(callee.port()));
    }

    /** As {@link io.weir.channel.Peer#tell(String, Message)}. Subscribing gives the message away, once. */
    public Mono<Void> tell(Message message) {
        return given(message, (callee, its) -> callee.peer().tell(callee.port(), its))
                .next();
    }

    /** As {@link #tell(Message)}, but a value through a codec, and again with each subscription. */
    public <A> Mono<Void> tell(A value, Codec<A> codec) {
        return mono(callee -> callee.peer().tell(callee.port(), value, codec));
    }

    /** As {@link io.weir.channel.Peer#ask(String, Message)}. Subscribing gives the message away, once. */
    public Mono<Message> ask(Message message) {
        return given(message, (callee, its) -> callee.peer().ask(callee.port(), its))
                .next();
    }

    /**
     * As {@link #ask(Message)}, but values through codecs, and again with each subscription, perhaps of another
     * instance.
     */
    public <A, B> Mono<B> ask(A request, Codec<A> requests, Codec<B> answers) {
        return mono(callee -> callee.peer().ask(callee.port(), request, requests, answers));
    }

    /** As {@link io.weir.channel.Peer#stream(String, Message)}. Subscribing gives the message away, once. */
    public Flux<Message> stream(Message request) {
        return given(request, (callee, its) -> callee.peer().stream(callee.port(), its));
    }

    /** As {@link #stream(Message)}, but values through codecs, and again with each subscription. */
    public <A, B> Flux<B> stream(A request, Codec<A> requests, Codec<B> items) {
        return flux(callee -> callee.peer().stream(callee.port(), request, requests, items));
    }

    /** As {@link io.weir.channel.Peer#exchange(String, Flux)}. */
    public Flux<Message> exchange(Flux<Message> source) {
        return flux(callee -> callee.peer().exchange(callee.port(), source));
    }

    /** As {@link io.weir.channel.Peer#stage(String, Codec, Codec)}; each subscription runs at one instance. */
    public <A, B> Function<Flux<A>, Flux<B>> stage(Codec<A> request, Codec<B> answer) {
        return source -> flux(callee -> source.transform(callee.peer().stage(callee.port(), request, answer)));
    }

    /**
     * Leaves the service: calls that wait fail, what has begun goes on, and connections stay for who else uses them.
     */
    public void close() {
        roster.dispose();
    }

    boolean isClosed() {
        return roster.isDisposed();
    }

    /** Whom to call, for what makes calls of another kind. */
    Callees callees() {
        return roster;
    }

    private <T> Mono<T> mono(Function<Callee, Mono<T>> call) {
        return Mono.defer(() -> {
            Callee ready = roster.ready();
            return ready != null
                    ? mono(ready, call.apply(ready))
                    : roster.next().flatMap(callee -> mono(callee, call.apply(callee)));
        });
    }

    private <T> Flux<T> flux(Function<Callee, Flux<T>> call) {
        return Flux.defer(() -> {
            Callee ready = roster.ready();
            return ready != null
                    ? flux(ready, call.apply(ready))
                    : roster.next().flatMapMany(callee -> flux(callee, call.apply(callee)));
        });
    }

    private static <T> Mono<T> mono(Callee callee, Mono<T> call) {
        return Mono.defer(() -> {
            callee.begun();
            return call.doFinally(signal -> callee.ended());
        });
    }

    private static <T> Flux<T> flux(Callee callee, Flux<T> call) {
        return Flux.defer(() -> {
            callee.begun();
            return call.doFinally(signal -> callee.ended());
        });
    }

    /** The message is the call's from when it is made, and released here if none is. */
    private <T> Flux<T> given(Message message, BiFunction<Callee, Message, Publisher<T>> call) {
        AtomicBoolean used = new AtomicBoolean();
        AtomicReference<@Nullable Message> unsent = new AtomicReference<>(message);
        return Flux.defer(() -> {
            if (!used.compareAndSet(false, true)) {
                return Flux.error(new IllegalStateException("this call of service '" + name
                        + "' was made already, and its message given away; to repeat it, wrap it in Mono.defer"));
            }
            return flux(callee -> Flux.defer(() -> {
                        Message its = unsent.getAndSet(null);
                        return its == null ? Flux.empty() : call.apply(callee, its);
                    }))
                    .doFinally(signal -> ReferenceCountUtil.release(unsent.getAndSet(null)));
        });
    }

    @Override
    public String toString() {
        return "ServiceClient[" + name + ']';
    }
}
