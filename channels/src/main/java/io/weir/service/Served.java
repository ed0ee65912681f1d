package io.weir.service;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An object that peers call. Methods that yield a publisher or a stage run on the loop, the others on {@link Workers}. Any thread.
 *
 * @param service the port through which it is called
 */
record Served(Contract contract, Object target, String service, Terms terms) {

    /** What is to be answered to this call. Reads the body, and leaves its release to the caller. */
    Mono<Message> call(Peer from, CallLayout.Header header, ByteBuf body) {
        ContractMethod method = contract.method(header.method());
        if (method == null || method.streams()) {
            return Mono.just(Answers.refusal(CallLayout.MALFORMED, "no request calls method " + header.method(), from));
        }
        @Nullable Object[] arguments;
        try {
            arguments = method.readArguments(body, from, null);
        } catch (RuntimeException e) {
            return Mono.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        }
        Caller caller = new Caller(from, service, method.toString(), header.millisLeft());
        try {
            Publisher<?> outcome = invoke(method, arguments, caller);
            if (outcome instanceof Callable<?> ready) {
                Object value = ready.call();
                return value == null ? Mono.empty() : Mono.just(Answers.value(method, value, terms, from));
            }
            return new AnswerMono(outcome, method, terms, caller, header.millisLeft());
        } catch (Throwable t) {
            return Mono.just(Answers.thrown(t, terms, from));
        }
    }

    /**
     * The items to be sent for this call of a method with a stream. Reads the body, and leaves its release to the caller.
     *
     * @param stream what the caller sends
     */
    Flux<Message> stream(Peer from, CallLayout.Header header, ByteBuf body, IncomingItems stream) {
        ContractMethod method = contract.method(header.method());
        if (method == null || !method.streams()) {
            return Flux.just(Answers.refusal(CallLayout.MALFORMED, "no channel calls method " + header.method(), from));
        }
        @Nullable Object[] arguments;
        try {
            arguments = method.readArguments(body, from, method.takesStream() ? stream.of(method, from) : null);
        } catch (RuntimeException e) {
            return Flux.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        }
        Caller caller = new Caller(from, service, method.toString(), header.millisLeft());
        Flux<Object> items = Flux.defer(() -> invokeUnchecked(method, arguments, caller))
                .contextWrite(context -> context.put(Caller.class, caller));
        return limited(items, method, header.millisLeft())
                .map(item -> Answers.value(method, item, terms, from))
                .onErrorResume(error -> Mono.just(Answers.thrown(error, terms, from)));
    }

    private static Flux<Object> limited(Flux<Object> items, ContractMethod method, int millisLeft) {
        return millisLeft == 0
                ? items
                : Deadlines.limit(items, Duration.ofMillis(millisLeft), () -> AnswerMono.late(method));
    }

    private Flux<Object> invokeUnchecked(ContractMethod method, @Nullable Object[] arguments, Caller caller) {
        try {
            return Flux.from(invoke(method, arguments, caller));
        } catch (Throwable t) {
            return Flux.error(t);
        }
    }

    private Publisher<? extends Object> invoke(ContractMethod method, @Nullable Object[] arguments, Caller caller)
            throws Throwable {
        if (method.result() == ContractMethod.Result.VALUE) {
            return terms.workers().call(() -> within(method, arguments, caller), method::release);
        }
        Object outcome = within(method, arguments, caller);
        if (outcome == null) {
            throw new NullPointerException(method + " has returned null");
        }
        return outcome instanceof CompletionStage<?> stage
                ? Mono.fromCompletionStage(stage).doOnDiscard(Object.class, method::release)
                : (Publisher<?>) outcome;
    }

    private @Nullable Object within(ContractMethod method, @Nullable Object[] arguments, Caller caller)
            throws Exception {
        Caller before = Caller.enter(caller);
        try {
            return method.invoke(target, arguments);
        } finally {
            var unused = Caller.enter(before);
        }
    }

    /** The answer to a request that names nothing that is served. */
    static Mono<Message> unknown(ProtocolMismatch reason, Peer to) {
        return Mono.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(reason.getMessage()), to));
    }
}
