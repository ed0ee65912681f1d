package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.CallDescription;
import io.weir.channel.CallInterceptor;
import io.weir.channel.CallKind;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Repeat;
import io.weir.core.TimedOut;
import io.weir.core.ValueMemory;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A method of a proxy: what its calls have in common. Any thread. */
final class CallingMethod {

    private static final int LARGEST_START = 1 << 20;

    private final ContractMethod method;
    private final Bindings bindings;
    private final Terms terms;
    private final Thrown thrown;
    private final @Nullable Duration deadline;
    private final int tries;
    private final boolean idempotent;
    private final CallKind kind;
    private final @Nullable CallInterceptor interceptor;
    /** Bytes of the latest request, for a buffer that need not grow. Races do no harm. */
    private int size = 128;

    CallingMethod(ContractMethod method, Bindings bindings, Terms terms) {
        ProxyOptions options = terms.calling();
        this.method = method;
        this.bindings = bindings;
        this.terms = terms;
        this.thrown = new Thrown(method.exceptions(), options.exceptions());
        this.tries = options.tries();
        this.interceptor = terms.interceptor();
        this.kind = kind(method);
        this.idempotent = method.isIdempotent() && !method.takesStream();
        boolean endless = method.result() == ContractMethod.Result.FLUX;
        this.deadline = method.deadline() != null || endless ? method.deadline() : options.deadline();
    }

    static CallKind kind(ContractMethod method) {
        if (method.takesStream()) {
            return CallKind.EXCHANGE;
        }
        return method.streams() ? CallKind.STREAM : CallKind.ASK;
    }

    /** Who watches its calls; null: nobody does. */
    @Nullable
    CallInterceptor interceptor() {
        return interceptor;
    }

    /**
     * A call of it, for who watches.
     *
     * @param to who takes it; null if nobody is known yet
     */
    CallDescription description(@Nullable Binding to) {
        return to == null
                ? new CallDescription(kind, null, "", method.name())
                : new CallDescription(kind, to.peer(), to.callee().port(), method.name());
    }

    ContractMethod method() {
        return method;
    }

    Bindings bindings() {
        return bindings;
    }

    Terms terms() {
        return terms;
    }

    Thrown thrown() {
        return thrown;
    }

    /** Reads what this peer yields, off the loop where it is long. */
    ReadingCodec values(Peer from) {
        return new ReadingCodec() {
            @Override
            Object read(ByteBuf payload, @Nullable ValueMemory memory) throws Throwable {
                return Replies.read(method, method.value(), thrown, payload, from, memory);
            }
        };
    }

    @Nullable
    Duration deadline() {
        return deadline;
    }

    /** What the proxy returns for a call. */
    @Nullable
    Object call(@Nullable Object[] arguments) throws Throwable {
        return switch (method.result()) {
            case FLUX -> new StreamCall(this, arguments).flux();
            case MONO -> mono(arguments);
            case STAGE -> mono(arguments).toFuture();
            case VALUE -> value(arguments);
        };
    }

    private Mono<Object> mono(@Nullable Object[] arguments) {
        return method.streams() ? new StreamCall(this, arguments).first() : new CallMono(this, arguments);
    }

    private @Nullable Object value(@Nullable Object[] arguments) throws Throwable {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(method + " waits for its result, which "
                    + Thread.currentThread().getName()
                    + " must not: call it on another thread, or let it return a Mono");
        }
        CompletableFuture<Object> outcome = mono(arguments).toFuture();
        try {
            return outcome.get();
        } catch (InterruptedException e) {
            outcome.cancel(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + method, e);
        } catch (ExecutionException e) {
            throw throwable(e.getCause() == null ? e : e.getCause());
        }
    }

    /** What the method may throw, by Java's rules. */
    private Throwable throwable(Throwable error) {
        if (error instanceof RuntimeException || error instanceof Error) {
            return error;
        }
        for (Class<?> each : method.exceptions()) {
            if (each.isInstance(error)) {
                return error;
            }
        }
        return error.getCause() instanceof RemoteInvocationException remote ? remote : error;
    }

    /** A request for this connection. */
    Message request(Binding to, @Nullable Object[] arguments, int millisLeft) {
        Peer peer = to.peer();
        int number = to.number(method);
        ByteBuf payload = peer.allocator().buffer(size);
        boolean written = false;
        try {
            CallLayout.writeHeader(payload, CallLayout.CALL, number, millisLeft, to.object());
            method.writeArguments(arguments, payload, peer);
            written = true;
        } finally {
            if (!written) {
                payload.release();
            }
        }
        int length = payload.readableBytes();
        if (length != size) {
            size = Math.min(length, LARGEST_START);
        }
        return Message.of(payload);
    }

    /**
     * How long to wait before the call is sent again; null: it is not.
     *
     * @param sent how often it was sent
     */
    @Nullable
    Duration pause(Throwable error, int sent) {
        boolean may = idempotent ? WeirException.mayRepeatIdempotent(error) : WeirException.mayRepeat(error);
        if (!may || sent >= tries) {
            return null;
        }
        long longest = 50L << Math.min(sent - 1, 6);
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(longest / 2, longest + 1));
    }

    TimedOut late() {
        return new TimedOut(method + " has not ended within " + deadline, null, Repeat.IDEMPOTENT);
    }
}
