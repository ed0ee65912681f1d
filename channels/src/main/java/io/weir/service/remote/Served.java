package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.CallDescription;
import io.weir.channel.CallInterceptor;
import io.weir.channel.CallOutcome;
import io.weir.channel.Calls;
import io.weir.channel.HeldMemory;
import io.weir.channel.IncomingCall;
import io.weir.channel.Peer;
import io.weir.core.ControlData;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ValueMemory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.util.context.Context;

/**
 * An object that peers call. Methods that yield a publisher or a stage run on the loop, the others on {@link Workers}.
 * Any thread.
 *
 * @param service the port through which it is called
 */
record Served(Contract contract, Object target, String service, Terms terms) {

    /** What is to be answered to this call. Reads the body, and leaves its release to the caller. */
    Mono<Message> call(Peer from, CallLayout.Header header, ByteBuf body, ControlData control) {
        ContractMethod method = contract.method(header.method());
        if (method == null || method.streams()) {
            return Mono.just(Answers.refusal(CallLayout.MALFORMED, "no request calls method " + header.method(), from));
        }
        Caller caller = caller(from, method, header, control);
        boolean slow = method.readsSlowly(body.readableBytes());
        boolean elsewhere = slow || method.blocks();
        HeldMemory memory = elsewhere
                ? Calls.memoryOfRequest(from, body.readableBytes())
                : Calls.momentOfRequest(from, body.readableBytes());
        boolean held = false;
        try {
            if (slow || body.readableBytes() > ContractMethod.SHORT) {
                checkMemory(memory);
            }
            Publisher<?> outcome = slow
                    ? invokeLater(method, Place.copy(body), null, caller, memory)
                    : invoke(method, arguments(method, body, null, from, memory), caller, memory);
            if (outcome instanceof Callable<?> ready) {
                Object value = ready.call();
                caller.told(CallOutcome.SUCCESS, null);
                return value == null ? Mono.empty() : Mono.just(Answers.value(method, value, terms, from));
            }
            memory.settle();
            Mono<Message> answer = new AnswerMono(outcome, method, terms, caller, header.millisLeft());
            held = elsewhere || !memory.isEmpty();
            return held ? answer.doFinally(end -> ended(memory, end)) : answer;
        } catch (Throwable t) {
            caller.told(CallOutcome.ERROR, t);
            return Mono.just(Answers.thrown(t, terms, from));
        } finally {
            if (!held && (elsewhere || !memory.isEmpty())) {
                memory.release();
            }
        }
    }

    /** A call that was given up and still runs keeps what it was called with. */
    private static void ended(HeldMemory memory, SignalType end) {
        if (end == SignalType.CANCEL) {
            memory.uncover();
        }
        memory.release();
    }

    /** Calls that were given up can't be refused what they keep; what comes behind them can. */
    private static void checkMemory(HeldMemory memory) {
        if (!memory.mayBegin()) {
            throw new Refusal(
                    CallLayout.BUSY, "the calls that are running have used up the memory that there is for arguments");
        }
    }

    private Caller caller(Peer from, ContractMethod method, CallLayout.Header header, ControlData control) {
        CallInterceptor interceptor = terms.interceptor();
        IncomingCall watched = interceptor == null
                ? null
                : interceptor.called(
                        new CallDescription(CallingMethod.kind(method), from, service, method.name()), control);
        return new Caller(from, service, method.toString(), header.millisLeft(), watched);
    }

    /**
     * The items to be sent for this call of a method with a stream. Reads the call, and leaves its release to the
     * caller.
     *
     * @param stream what the caller sends
     */
    Flux<Message> stream(Peer from, CallLayout.Header header, Message call, IncomingItems stream) {
        ContractMethod method = contract.method(header.method());
        if (method == null || !method.streams()) {
            return Answers.only(
                    () -> Answers.refusal(CallLayout.MALFORMED, "no channel calls method " + header.method(), from));
        }
        Flux<Object> taken = method.takesStream() ? stream.of(method, from) : null;
        Function<Caller, Flux<Object>> work = work(method, from, call.payload(), taken);
        ControlData control = call.control();
        // Who watches is told when it begins, so that it ends as well.
        return Flux.defer(() -> items(method, header.millisLeft(), work, caller(from, method, header, control)))
                .map(item -> Answers.value(method, item, terms, from))
                .onErrorResume(error -> Answers.only(() -> Answers.thrown(error, terms, from)));
    }

    /** What a call yields whose arguments are here. */
    private Function<Caller, Flux<Object>> work(
            ContractMethod method, Peer from, ByteBuf body, @Nullable Flux<Object> stream) {
        if (method.readsSlowly(body.readableBytes())) {
            ByteBuf copy = Place.copy(body);
            return caller -> holding(
                    from, copy.readableBytes(), memory -> Flux.from(invokeLater(method, copy, stream, caller, memory)));
        }
        HeldMemory reading = Calls.memory(from);
        try {
            @Nullable Object[] arguments = arguments(method, body, stream, from, reading);
            // Nobody may ever ask for what it yields.
            long bytes = reading.taken();
            return caller -> holding(from, bytes, memory -> invokeUnchecked(method, arguments, caller, memory));
        } catch (Refusal e) {
            return caller -> Flux.error(e);
        } finally {
            reading.release();
        }
    }

    /** What this yields, for as long as it does, with what it has been called with. */
    private static Flux<Object> holding(Peer from, long bytes, Function<HeldMemory, Flux<Object>> work) {
        HeldMemory memory = Calls.memory(from);
        try {
            memory.use(bytes);
        } catch (Overloaded e) {
            memory.release();
            return Flux.error(new Refusal(CallLayout.BUSY, String.valueOf(e.getMessage())));
        }
        return work.apply(memory).doFinally(end -> ended(memory, end));
    }

    private static Flux<Object> items(
            ContractMethod method, int millisLeft, Function<Caller, Flux<Object>> work, Caller caller) {
        IncomingCall watched = caller.watched();
        Flux<Object> items = limited(
                Flux.defer(() -> work.apply(caller)).contextWrite(Context.of(Caller.class, caller)),
                method,
                millisLeft);
        return watched == null ? items : Calls.watch(items, watched);
    }

    private static @Nullable Object[] arguments(
            ContractMethod method, ByteBuf body, @Nullable Flux<Object> stream, Peer from, ValueMemory memory) {
        try {
            return method.readArguments(body, from, stream, memory);
        } catch (Overloaded e) {
            throw new Refusal(CallLayout.BUSY, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            throw new Refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads the arguments on another thread, and goes on there.
     *
     * @param copy of the body
     */
    private Publisher<? extends Object> invokeLater(
            ContractMethod method, ByteBuf copy, @Nullable Flux<Object> stream, Caller caller, HeldMemory memory) {
        if (method.blocks()) {
            return work(
                    caller,
                    memory,
                    () -> within(method, arguments(method, copy, stream, caller.peer(), memory), caller),
                    method::release);
        }
        return work(caller, memory, () -> arguments(method, copy, stream, caller.peer(), memory), unwanted -> {})
                .flatMapMany(arguments -> invokeUnchecked(method, (@Nullable Object[]) arguments, caller, memory));
    }

    /** Work of a thread that may block, and holds the memory until it has come to its end, whoever gives it up. */
    private Mono<Object> work(
            Caller caller, HeldMemory memory, Callable<@Nullable Object> work, Consumer<Object> unwanted) {
        return terms.workers()
                .call(
                        caller.peer(),
                        Calls.identity(caller.peer()),
                        () -> {
                            memory.retain();
                            try {
                                return work.call();
                            } finally {
                                memory.release();
                            }
                        },
                        unwanted);
    }

    private static Flux<Object> limited(Flux<Object> items, ContractMethod method, int millisLeft) {
        return millisLeft == 0
                ? items
                : Deadlines.limit(items, Duration.ofMillis(millisLeft), () -> AnswerMono.late(method));
    }

    private Flux<Object> invokeUnchecked(
            ContractMethod method, @Nullable Object[] arguments, Caller caller, HeldMemory memory) {
        try {
            return Flux.from(invoke(method, arguments, caller, memory));
        } catch (Throwable t) {
            return Flux.error(t);
        }
    }

    private Publisher<? extends Object> invoke(
            ContractMethod method, @Nullable Object[] arguments, Caller caller, HeldMemory memory) throws Throwable {
        if (method.blocks()) {
            return work(caller, memory, () -> within(method, arguments, caller), method::release);
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
        IncomingCall watched = caller.watched();
        Caller before = Caller.enter(caller);
        try {
            return watched == null ? method.invoke(target, arguments) : watched(watched, method, arguments);
        } finally {
            var unused = Caller.enter(before);
        }
    }

    private @Nullable Object watched(IncomingCall watched, ContractMethod method, @Nullable Object[] arguments)
            throws Exception {
        try (IncomingCall.Scope unused = watched.open()) {
            return method.invoke(target, arguments);
        }
    }

    /** The answer to a request that names nothing that is served. */
    static Mono<Message> unknown(ProtocolMismatch reason, Peer to) {
        return Mono.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(reason.getMessage()), to));
    }
}
