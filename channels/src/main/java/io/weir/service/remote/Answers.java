package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The messages that answer calls. */
final class Answers {

    private static final int USUAL = 256;

    private Answers() {}

    /** A value, which is given away. If it can't be written, that is the answer. */
    static Message value(ContractMethod method, Object value, Terms terms, Peer to) {
        Place place = method.value();
        if (place == null) {
            return thrown(new IllegalStateException(method + " yields a value, and has none"), terms, to);
        }
        return value(method, place, value, terms, to);
    }

    static Message value(ContractMethod method, Place place, Object value, Terms terms, Peer to) {
        ByteBuf payload = to.allocator().buffer(USUAL);
        try {
            payload.writeByte(CallLayout.VALUE);
            place.write(value, payload, to);
            return Message.of(payload);
        } catch (Overloaded e) {
            payload.release();
            return refusal(CallLayout.FULL, String.valueOf(e.getMessage()), to);
        } catch (Throwable e) {
            // Whatever it is: the caller waits for an answer.
            payload.release();
            return thrown(
                    new IllegalArgumentException(
                            "what " + method + " yields can't be written: " + ContractMethod.reason(e), e),
                    terms,
                    to);
        } finally {
            place.release(value);
        }
    }

    /** One that is made when it is asked for: so nothing is left of it if nobody does. */
    static Flux<Message> only(Supplier<Message> answer) {
        return Mono.fromSupplier(answer).flux();
    }

    /** What was thrown. */
    static Message thrown(Throwable error, Terms terms, Peer to) {
        if (error instanceof Refusal refusal) {
            return refusal(refusal.outcome(), String.valueOf(refusal.getMessage()), to);
        }
        ByteBuf payload = to.allocator().buffer(USUAL);
        payload.writeByte(CallLayout.THROWN);
        try {
            Thrown.write(error, terms.tellsStacks(), payload);
        } catch (Throwable t) {
            // Its own code names its message.
            payload.clear().writeByte(CallLayout.THROWN);
            Thrown.write(
                    new IllegalStateException(error.getClass().getName() + ", which can't tell its message"),
                    false,
                    payload);
        }
        return Message.of(payload);
    }

    /** Why there is nothing else. */
    static Message refusal(int outcome, String reason, Peer to) {
        ByteBuf payload = to.allocator().buffer(USUAL);
        payload.writeByte(outcome);
        CallLayout.writeText(payload, CallLayout.cut(reason, CallLayout.LONGEST_REASON));
        return Message.of(payload);
    }
}
