package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.core.ValueMemory;
import java.lang.reflect.Type;

/**
 * How the arguments and results of remote calls are written. Both sides must have the one of the same name.
 * {@code byte[]} and {@link ByteBuf} go as they are, without one.
 *
 * <p>Implementations are used by many threads.
 */
public interface CallCodec {

    /** By which the two sides compare theirs. */
    String name();

    /**
     * For the values of one place in a signature. Asked once for each place, when an interface is exported or a proxy
     * made.
     *
     * @param type without variables and wildcards
     * @throws io.weir.core.Misconfigured if it can't map this type
     */
    Values values(Type type);

    /**
     * Whether reading may take long, or runs code of the classes that are read: then it is done on a thread that may
     * block, and not on the loop of the peer, at the price of a hop.
     */
    default boolean readsSlowly() {
        return false;
    }

    /** Values of one type, never null. Used by many threads. */
    interface Values {

        /**
         * Appends the value.
         *
         * @throws IllegalArgumentException if it can't be written, for instance because it contains itself
         */
        void write(Object value, ByteBuf target);

        /**
         * The value that these readable bytes are. May move the reader index; keeps nothing of the buffer.
         *
         * @throws io.weir.core.ProtocolMismatch if they are no such value; hostile input does nothing worse
         */
        Object read(ByteBuf source);

        /**
         * As {@link #read(ByteBuf)}, with an account of the memory that the value takes. Codecs whose values may take
         * much more than their bytes count what they make; for others the number of the bytes counts.
         *
         * @throws io.weir.core.Overloaded if there is no memory for the value
         */
        default Object read(ByteBuf source, ValueMemory memory) {
            memory.use(source.readableBytes());
            return read(source);
        }
    }
}
