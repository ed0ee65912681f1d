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
        Caller caller = new Caller(from, service, method.toString(), header.millisLeft());
        try {
            Publisher<?> outcome = method.readsSlowly()
                    ? invokeLater(method, body, null, caller)
                    : invoke(method, arguments(method, body, null, caller), caller);
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
            return Answers.only(
                    () -> Answers.refusal(CallLayout.MALFORMED, "no channel calls method " + header.method(), from));
        }
        Caller caller = new Caller(from, service, method.toString(), header.millisLeft());
        Flux<Object> taken = method.takesStream() ? stream.of(method, from) : null;
        Flux<Object> items;
        if (method.readsSlowly()) {
            items = Flux.from(invokeLater(method, body, taken, caller));
        } else {
            @Nullable Object[] arguments;
            try {
                arguments = arguments(method, body, taken, caller);
            } catch (Refusal e) {
                return Answers.only(() -> Answers.thrown(e, terms, from));
            }
            items = Flux.defer(() -> invokeUnchecked(method, arguments, caller));
        }
        return limited(items.contextWrite(context -> context.put(Caller.class, caller)), method, header.millisLeft())
                .map(item -> Answers.value(method, item, terms, from))
                .onErrorResume(error -> Answers.only(() -> Answers.thrown(error, terms, from)));
    }

    private static @Nullable Object[] arguments(
            ContractMethod method, ByteBuf body, @Nullable Flux<Object> stream, Caller caller) {
        try {
            return method.readArguments(body, caller.peer(), stream);
        } catch (RuntimeException e) {
            throw new Refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()));
        }
    }

    /** Reads the arguments on another thread, and goes on there. */
    private Publisher<? extends Object> invokeLater(
            ContractMethod method, ByteBuf body, @Nullable Flux<Object> stream, Caller caller) {
        ByteBuf copy = Place.copy(body);
        if (method.result() == ContractMethod.Result.VALUE) {
            return terms.workers()
                    .call(() -> within(method, arguments(method, copy, stream, caller), caller), method::release);
        }
        return terms.workers()
                .call(() -> arguments(method, copy, stream, caller), unwanted -> {})
                .flatMapMany(arguments -> invokeUnchecked(method, (@Nullable Object[]) arguments, caller));
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
