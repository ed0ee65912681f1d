package io.weir.channel;

import io.weir.core.PeerId;
import java.util.function.Predicate;

/**
 * Which messages of a {@link Mailbox} a subscriber wants. Asked once for each message, on loops: quick, without side
 * effects, and dependent on nothing but the message.
 */
@FunctionalInterface
public interface Match extends Predicate<Received> {

    /** Messages of this peer. */
    static Match from(PeerId peer) {
        return received -> received.from().id().equals(peer);
    }

    /** Messages whose control data has this entry. */
    static Match control(String key, String value) {
        return received -> received.message().control().has(key, value);
    }

    /** Messages that this and the other one want. */
    default Match and(Match other) {
        return received -> test(received) && other.test(received);
    }
}
