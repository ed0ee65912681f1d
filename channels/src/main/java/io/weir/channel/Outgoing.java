package io.weir.channel;

/** Something that waits in a session's lanes for room on the link. Loop thread only. */
interface Outgoing {

    /**
     * Sends one step's worth. A half that has more to send lists itself again.
     *
     * @return false if the link was full; the session puts it back then
     */
    boolean push();

    /** Whether it has nothing to send, nor ever will. */
    default boolean isOver() {
        return false;
    }

    /** Lists this in the lane that its next step belongs to, unless it is listed. */
    void list();

    /** As {@link #list}, but its turn is the next one: what was opened first is announced first. */
    void putBack();
}
