package io.weir.channel;

/** Who feeds the sending half of a channel. On the loop. */
interface Feeder {
    /** There may be room again. */
    void room();

    /** The end is on the wire. */
    default void endSent() {}

    /** The peer's subscriber has had everything; called only if that was asked for with the end. */
    default void delivered() {}

    /**
     * The message with this number is dropped, and no link has seen anything of it. The half fails or is cancelled
     * then. Not called for a message that fails the half itself, as it can't be sent at all.
     */
    default void unsent(int number) {}

    /** The peer wants no more; what was not sent has been released. */
    void cancelled();

    /** The channel has failed; what was not sent has been released. */
    void failed(Throwable error);

    /**
     * Whether nobody waits for anything of this channel, open as it is. One that its user has is waited for until
     * it ends.
     */
    default boolean idle() {
        return false;
    }

    /**
     * Our side closes the channel: nothing more may be fed, what was taken is sent. Only what a user has can be
     * closed.
     */
    default void closing() {}
}
