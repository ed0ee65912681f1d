package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.HeldMemory;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.Repeat;
import io.weir.core.TimedOut;
import io.weir.core.ValueMemory;
import io.weir.core.WeirException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** Reads what the other side of a call has sent: a value, or why there is none. */
final class Replies {

    /** Bytes of a value that can't take much memory, whatever it is. */
    private static final int SHORT = 4096;

    private Replies() {}

    /**
     * The value; throws the other side's error.
     *
     * @param place null if there can be no value
     */
    static Object read(ContractMethod method, @Nullable Place place, Thrown thrown, ByteBuf source, Peer from)
            throws Throwable {
        return read(method, place, thrown, source, from, null);
    }

    /** @param memory for the value; null: what it takes is held while it is read */
    static Object read(
            ContractMethod method,
            @Nullable Place place,
            Thrown thrown,
            ByteBuf source,
            Peer from,
            @Nullable ValueMemory memory)
            throws Throwable {
        if (!source.isReadable()) {
            throw new ProtocolMismatch(from.id() + " answers " + method + " with nothing, and says no outcome");
        }
        int outcome = source.readUnsignedByte();
        try {
            if (outcome == CallLayout.VALUE) {
                if (place == null) {
                    throw new ProtocolMismatch("a value, and it yields none");
                }
                return memory == null ? read(place, source, from) : place.read(source, from, memory);
            }
            throw outcome == CallLayout.THROWN
                    ? thrown.read(method.toString(), source, from)
                    : refusal(outcome, method + " at " + from.id() + ": " + CallLayout.readText(source));
        } catch (ProtocolMismatch e) {
            throw new ProtocolMismatch("what " + from.id() + " sends for " + method + ": " + e.getMessage(), e);
        }
    }

    /** Whoever gets it has it in the program's own memory; but it must not be too much at once. */
    private static Object read(Place place, ByteBuf source, Peer from) {
        if (source.readableBytes() <= SHORT) {
            return place.read(source, from, ValueMemory.UNLIMITED);
        }
        HeldMemory memory = Calls.memory(from);
        try {
            return place.read(source, from, memory);
        } finally {
            memory.release();
        }
    }

    /** These messages on threads that may block, one after the other, within their demand. */
    static Flux<Message> later(Flux<Message> messages) {
        return messages.map(Replies::copy)
                // An error comes behind what is being read: it does not wait for that, which would keep the loop.
                .concatMapDelayError(
                        copy -> Mono.just(copy)
                                .publishOn(Schedulers.boundedElastic())
                                .materialize(),
                        true,
                        0)
                .handle(Replies::goOn);
    }

    /** What could not be brought to another thread leaves no hole. */
    private static void goOn(Signal<Message> copy, SynchronousSink<Message> sink) {
        Message message = copy.get();
        if (message != null) {
            sink.next(message);
        } else {
            sink.error(Objects.requireNonNull(copy.getThrowable()));
        }
    }

    /** So that nothing leaks that is dropped on its way to another thread. */
    private static Message copy(Message message) {
        ByteBuf copy = Place.copy(message.payload());
        message.release();
        return Message.of(copy);
    }

    /** What another outcome than a value or an exception says. */
    static WeirException refusal(int outcome, String text) {
        return switch (outcome) {
            case CallLayout.BUSY -> new Overloaded(text, null, Repeat.ANY);
            case CallLayout.FULL -> new Overloaded(text, null, Repeat.IDEMPOTENT);
            case CallLayout.LATE -> new TimedOut(text, null, Repeat.IDEMPOTENT);
            case CallLayout.REFUSED -> new Refused(text);
            default -> new ProtocolMismatch(text);
        };
    }
}
