package io.weir.service.remote;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a remote interface is called. Immutable: each method gives a copy with one thing changed.
 *
 * @param codec of arguments and results
 * @param deadline how long a call that yields at most one value may take if its method has no {@link Deadline}; null:
 *     as long as it takes. Streams have the deadline of their method only
 * @param tries how often a call is sent at most, the first time counted
 * @param exceptions classes that are made here again when the other side has thrown one, beside those that the method
 *     declares and the common ones of the JDK. Each needs a constructor for a message, or for a message and a cause
 */
public record ProxyOptions(
        CallCodec codec, @Nullable Duration deadline, int tries, Set<Class<? extends Throwable>> exceptions) {

    /**
     * Copies the set.
     *
     * @throws IllegalArgumentException if the deadline is not positive or longer than 24 days, or there is no try
     */
    public ProxyOptions {
        Objects.requireNonNull(codec, "codec");
        if (deadline != null) {
            TimeText.check(deadline);
        }
        if (tries < 1) {
            throw new IllegalArgumentException(tries + " tries: a call is sent once at least");
        }
        exceptions = Set.copyOf(exceptions);
    }

    /** CBOR, no deadline, three tries. */
    public static ProxyOptions standard() {
        return new ProxyOptions(CallCodecs.cbor(), null, 3, Set.of());
    }

    /** Another codec. */
    public ProxyOptions codec(CallCodec other) {
        return new ProxyOptions(other, deadline, tries, exceptions);
    }

    /** Another deadline. */
    public ProxyOptions deadline(Duration other) {
        return new ProxyOptions(codec, other, tries, exceptions);
    }

    /** Another number of tries; 1: nothing is repeated. */
    public ProxyOptions tries(int other) {
        return new ProxyOptions(codec, deadline, other, exceptions);
    }

    /** One more exception that may be made here. */
    public ProxyOptions exception(Class<? extends Throwable> type) {
        Set<Class<? extends Throwable>> more = new HashSet<>(exceptions);
        more.add(type);
        return new ProxyOptions(codec, deadline, tries, more);
    }
}
