package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ValueMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A method of a {@link Contract}: what it takes and yields, and how that is written. Immutable. */
final class ContractMethod {

    /** What a method yields. */
    enum Result {
        MONO,
        FLUX,
        STAGE,
        /** The value itself, or nothing: the caller waits. */
        VALUE
    }

    private static final int NO_STREAM = -1;

    /** Bytes that are read in a few milliseconds, whatever they are. */
    static final int SHORT = 64 * 1024;

    private final Signature signature;
    private final int number;
    private final String title;
    private final String name;
    private final Result result;
    /** Null where there is none. */
    private final @Nullable Place value;

    private final Place[] parameters;
    private final int streamAt;
    private final boolean readsSlowly;
    private final boolean decodes;
    private final @Nullable Duration deadline;
    private final Map<String, String> definitions = new TreeMap<>();

    /** @throws IllegalArgumentException if it can't be called remotely */
    ContractMethod(Class<?> type, Signature signature, int number, Terms terms) {
        this.signature = signature;
        this.number = number;
        this.title = signature.title(type);
        this.name = type.getSimpleName() + '.' + signature.method().getName();
        try {
            this.result = result(TypeArguments.erased(signature.result()));
            Type item = result == Result.VALUE ? signature.result() : argument(signature.result());
            this.value = item == void.class || item == Void.class ? null : place(item, terms);
            this.streamAt = streamAt(signature.parameters());
            this.parameters = signature.parameters().stream()
                    .map(each -> place(isStream(each) ? argument(each) : each, terms))
                    .toArray(Place[]::new);
            this.readsSlowly =
                    IntStream.range(0, parameters.length).anyMatch(i -> i != streamAt && parameters[i].readsSlowly());
            this.decodes = IntStream.range(0, parameters.length)
                    .anyMatch(i -> i != streamAt && parameters[i] instanceof Place.Coded);
            Deadline limit = signature.method().getAnnotation(Deadline.class);
            this.deadline = limit == null ? null : TimeText.parse(limit.value());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(title + ": " + e.getMessage(), e);
        }
        signature.define(definitions);
        if (!signature.method().trySetAccessible()) {
            throw new IllegalArgumentException(title + " is not accessible: its module has to open its package");
        }
    }

    private static Result result(Class<?> type) {
        if (type == Mono.class) {
            return Result.MONO;
        }
        if (type == Flux.class || type == Publisher.class) {
            return Result.FLUX;
        }
        return type == CompletionStage.class || type == CompletableFuture.class ? Result.STAGE : Result.VALUE;
    }

    private static boolean isStream(Type type) {
        Class<?> erased = TypeArguments.erased(type);
        return erased == Flux.class || erased == Publisher.class;
    }

    private static int streamAt(List<Type> parameters) {
        int found = NO_STREAM;
        for (int i = 0; i < parameters.size(); i++) {
            if (isStream(parameters.get(i))) {
                if (found != NO_STREAM) {
                    throw new IllegalArgumentException("it takes two streams, and one is what a call can have");
                }
                found = i;
            }
        }
        return found;
    }

    private static Type argument(Type type) {
        if (type instanceof ParameterizedType applied) {
            return applied.getActualTypeArguments()[0];
        }
        throw new IllegalArgumentException("a " + TypeText.brief(type.getTypeName()) + " of nothing in particular");
    }

    private static Place place(Type type, Terms terms) {
        Class<?> erased = TypeArguments.erased(type);
        for (Class<?> each : List.of(
                Publisher.class, CompletionStage.class, Future.class, BaseStream.class, Iterator.class, Void.class)) {
            if (each.isAssignableFrom(erased)) {
                throw new IllegalArgumentException(
                        "a " + TypeText.brief(TypeText.of(type)) + " can't be passed: pass its value, or a Flux");
            }
        }
        return terms.place(type);
    }

    int number() {
        return number;
    }

    String key() {
        return signature.key();
    }

    String signature() {
        return signature.text();
    }

    /** What is behind the types that it uses, by their names. */
    Map<String, String> definitions() {
        return definitions;
    }

    Result result() {
        return result;
    }

    /** Whether it yields its value itself, so that it may block. */
    boolean blocks() {
        return result == Result.VALUE;
    }

    /** The interfaces whose objects are passed by reference. */
    Stream<Class<?>> referenced() {
        return Stream.concat(Stream.ofNullable(value), Arrays.stream(parameters))
                .flatMap(each -> each instanceof ReferencePlace it ? Stream.of(it.type()) : Stream.empty());
    }

    /** How its value, or the items of its stream, are written; null if there are none. */
    @Nullable
    Place value() {
        return value;
    }

    /** What it has yielded is not needed. */
    void release(Object yielded) {
        if (value != null) {
            value.release(yielded);
        }
    }

    /** What it has yielded was written and not sent. */
    void takeBack(Object yielded, Peer from) {
        if (value != null) {
            value.takeBack(yielded, from);
        }
    }

    /** Whether what it yields has to be given back if nobody takes it. */
    boolean lends() {
        return value instanceof ReferencePlace;
    }

    /** Gives back what an answer brings that nobody wants any more. */
    void giveBack(Message answer, Peer to) {
        if (value instanceof ReferencePlace it && CallLayout.isValue(answer)) {
            it.giveBack(answer.payload().skipBytes(1), to);
        }
    }

    /** How the items of the stream that it takes are written. */
    Place streamed() {
        return parameters[streamAt];
    }

    /** Whether reading so many bytes of arguments has no place on a loop. */
    boolean readsSlowly(int bytes) {
        return readsSlowly || (decodes && bytes > SHORT);
    }

    /** Whether reading what it yields has no place on a loop. */
    boolean yieldsSlowly() {
        return value != null && value.readsSlowly();
    }

    /** Whether it yields values that a codec reads: on a loop, but for long ones. */
    boolean yieldsDecoded() {
        return value != null && value.isDecoded();
    }

    /** Whether reading an answer of so many bytes has no place on a loop. */
    boolean yieldsSlowly(int bytes) {
        return bytes > SHORT && yieldsDecoded();
    }

    boolean takesStream() {
        return streamAt != NO_STREAM;
    }

    /** Whether its calls have channels. */
    boolean streams() {
        return takesStream() || result == Result.FLUX;
    }

    @Nullable
    Duration deadline() {
        return deadline;
    }

    boolean isIdempotent() {
        return signature.method().isAnnotationPresent(Idempotent.class);
    }

    Class<?>[] exceptions() {
        return signature.method().getExceptionTypes();
    }

    boolean isCalledBy(Method called) {
        Method own = signature.method();
        return called.equals(own)
                || (called.getName().equals(own.getName())
                        && Arrays.equals(called.getParameterTypes(), own.getParameterTypes()));
    }

    /** The stream among these arguments. */
    Publisher<?> stream(@Nullable Object[] arguments) {
        Object stream = arguments[streamAt];
        if (stream == null) {
            throw new IllegalArgumentException(title + ": the stream is null; pass Flux.empty()");
        }
        return (Publisher<?>) stream;
    }

    /**
     * Appends the arguments but the stream.
     *
     * @throws IllegalArgumentException if one can't be written
     */
    void writeArguments(@Nullable Object[] arguments, ByteBuf target, Peer to) {
        int done = 0;
        try {
            for (; done < parameters.length; done++) {
                if (done != streamAt) {
                    write(arguments[done], parameters[done], target, to);
                }
            }
        } catch (IllegalArgumentException | StackOverflowError e) {
            takeBack(arguments, done, to);
            throw new IllegalArgumentException(
                    title + ": argument " + (done + 1) + " can't be written: " + reason(e), e);
        } catch (RuntimeException e) {
            takeBack(arguments, done, to);
            throw e;
        }
    }

    static @Nullable String reason(Throwable error) {
        return error instanceof StackOverflowError ? "it is nested too deeply, or contains itself" : error.getMessage();
    }

    private static void write(@Nullable Object argument, Place place, ByteBuf target, Peer to) {
        int at = target.writerIndex();
        target.writeIntLE(-1);
        if (argument != null) {
            place.write(argument, target, to);
            target.setIntLE(at, target.writerIndex() - at - Integer.BYTES);
        }
    }

    /** Takes back what was written and never sent. */
    void takeBack(@Nullable Object[] arguments, Peer from) {
        takeBack(arguments, parameters.length, from);
    }

    private void takeBack(@Nullable Object[] arguments, int count, Peer from) {
        for (int i = 0; i < count; i++) {
            Object argument = arguments[i];
            if (argument != null && i != streamAt) {
                parameters[i].takeBack(argument, from);
            }
        }
    }

    /**
     * The arguments of a call.
     *
     * @param stream what it takes as a stream
     * @throws ProtocolMismatch if they are no such arguments
     * @throws io.weir.core.Overloaded if there is no memory for them
     */
    @Nullable
    Object[] readArguments(ByteBuf source, Peer from, @Nullable Flux<Object> stream, ValueMemory memory) {
        @Nullable Object[] arguments = new @Nullable Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            arguments[i] = i == streamAt ? stream : read(i, source, from, memory);
        }
        if (source.isReadable()) {
            throw new ProtocolMismatch(title + ": " + source.readableBytes() + " bytes behind the last argument");
        }
        return arguments;
    }

    private @Nullable Object read(int at, ByteBuf source, Peer from, ValueMemory memory) {
        int length = CallLayout.readLength(source);
        if (length < 0) {
            if (signature.method().getParameterTypes()[at].isPrimitive()) {
                throw new ProtocolMismatch(title + ": argument " + (at + 1) + " is null, and can't be");
            }
            return null;
        }
        int end = source.readerIndex() + length;
        int all = source.writerIndex();
        source.writerIndex(end);
        try {
            return parameters[at].read(source, from, memory);
        } catch (ProtocolMismatch e) {
            throw new ProtocolMismatch(title + ": argument " + (at + 1) + ": " + e.getMessage(), e);
        } finally {
            source.setIndex(end, all);
        }
    }

    /** Calls it. Throws what it throws. */
    @Nullable
    Object invoke(Object target, @Nullable Object[] arguments) throws Exception {
        try {
            return signature.method().invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getTargetException() instanceof Exception thrown) {
                throw thrown;
            }
            if (e.getTargetException() instanceof Error thrown) {
                throw thrown;
            }
            throw e;
        }
    }

    /** Interface and name: {@code Ledger.balance}. */
    String name() {
        return name;
    }

    /** For people: {@code Ledger.balance(String)}. */
    @Override
    public String toString() {
        return title;
    }
}
