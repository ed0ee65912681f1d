package io.weir.channel;

/** A call that this node answers. Its {@link #context} is that of the publisher that the handler returns. */
public interface IncomingCall extends WatchedCall {

    /**
     * The handler is about to be called, on this thread; what this returns is closed there when the handler has
     * returned.
     */
    default Scope open() {
        return Scope.NOTHING;
    }

    /** What is so while a handler runs. */
    interface Scope extends AutoCloseable {

        /** Leaves nothing to be closed. */
        Scope NOTHING = () -> {};

        @Override
        void close();
    }
}
