package io.weir.service.remote;

import io.weir.channel.CallInterceptor;
import io.weir.channel.Calls;
import io.weir.channel.OutgoingCall;
import io.weir.channel.Peer;
import io.weir.core.Message;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.util.retry.Retry;

/** A call with a stream, in or out, over a channel of its own. */
final class StreamCall {

    private final CallingMethod method;
    private final @Nullable Object[] arguments;

    StreamCall(CallingMethod method, @Nullable Object[] arguments) {
        this.method = method;
        this.arguments = arguments;
    }

    /** What comes back, begun anew with each subscription. */
    Flux<Object> flux() {
        CallInterceptor interceptor = method.interceptor();
        if (interceptor == null) {
            return limited(null);
        }
        return Flux.deferContextual(context -> {
            OutgoingCall watched = interceptor.calling(method.description(null), context);
            return watched == null ? limited(null) : Calls.watch(limited(watched), watched);
        });
    }

    /** The first thing that comes back, begun anew with each subscription. */
    Mono<Object> first() {
        CallInterceptor interceptor = method.interceptor();
        if (interceptor == null) {
            return limited(null).next();
        }
        return Mono.deferContextual(context -> {
            OutgoingCall watched = interceptor.calling(method.description(null), context);
            Mono<Object> first = limited(watched).next();
            return watched == null ? first : Calls.watch(first, watched);
        });
    }

    private Flux<Object> limited(@Nullable OutgoingCall watched) {
        Duration deadline = method.deadline();
        Flux<Object> items =
                Flux.defer(() -> repeated(deadline == null ? 0 : System.nanoTime() + deadline.toNanos(), watched));
        return deadline == null ? items : Deadlines.limit(items, deadline, method::late);
    }

    private Flux<Object> repeated(long end, @Nullable OutgoingCall watched) {
        // Something has come, or the stream of the caller was begun, which may not be possible twice.
        AtomicBoolean begun = new AtomicBoolean();
        return Flux.defer(() -> once(end, begun, watched))
                .doOnNext(item -> begun.set(true))
                .retryWhen(Retry.from(failures -> failures.concatMap(failure -> {
                    Duration pause =
                            begun.get() ? null : method.pause(failure.failure(), (int) failure.totalRetries() + 1);
                    return pause == null ? Mono.<Long>error(failure.failure()) : Mono.delay(pause);
                })));
    }

    private Flux<Object> once(long end, AtomicBoolean begun, @Nullable OutgoingCall watched) {
        return method.bindings().next().flatMapMany(binding -> over(binding, end, begun, watched));
    }

    private Flux<Object> over(Binding binding, long end, AtomicBoolean begun, @Nullable OutgoingCall watched) {
        Callee callee = binding.callee();
        Peer peer = binding.peer();
        Flux<Object> items = Flux.using(
                () -> new AtomicReference<>(request(binding, end, watched)),
                request -> exchanged(peer, binding.streamPort(), sent(request, peer, begun)),
                request -> takeBack(request.getAndSet(null), peer));
        return items.doOnSubscribe(subscription -> callee.begun()).doFinally(signal -> callee.ended());
    }

    private Flux<Object> exchanged(Peer peer, String port, Flux<Message> sent) {
        if (method.method().yieldsDecoded()) {
            return Calls.exchange(peer, port, sent, method.values(peer));
        }
        Flux<Message> answers = Calls.exchange(peer, port, sent);
        return (method.method().yieldsSlowly() ? Replies.later(answers) : answers)
                .handle((message, sink) -> read(message, peer, sink));
    }

    private Message request(Binding binding, long end, @Nullable OutgoingCall watched) {
        Message request = method.request(binding, arguments, millisLeft(end));
        return watched == null
                ? request
                : request.with(watched.sending(method.description(binding), request.control()));
    }

    /** What was not sent keeps nothing lent. */
    private void takeBack(@Nullable Message unsent, Peer from) {
        if (unsent != null) {
            unsent.release();
            method.method().takeBack(arguments, from);
        }
    }

    private int millisLeft(long end) {
        return method.deadline() == null ? 0 : (int) Math.max(1, (end - System.nanoTime()) / 1_000_000);
    }

    private Flux<Message> sent(AtomicReference<@Nullable Message> request, Peer to, AtomicBoolean begun) {
        Flux<Message> first = Mono.fromSupplier(() -> request.getAndSet(null)).flux();
        ContractMethod called = method.method();
        if (!called.takesStream()) {
            return first;
        }
        Flux<Message> items = Flux.from(called.stream(arguments))
                .doOnSubscribe(subscription -> begun.set(true))
                .map(item -> Answers.value(called, called.streamed(), item, method.terms(), to))
                .onErrorResume(error -> Answers.only(() -> Answers.thrown(error, method.terms(), to)));
        return Flux.concat(first, items).doOnDiscard(Message.class, Message::release);
    }

    private void read(Message message, Peer from, SynchronousSink<Object> sink) {
        try {
            sink.next(Replies.read(method.method(), method.method().value(), method.thrown(), message.payload(), from));
        } catch (Throwable t) {
            sink.error(t);
        } finally {
            message.release();
        }
    }
}
