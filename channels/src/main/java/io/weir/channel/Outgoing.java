package io.weir.channel;

/** Something that waits in a session's lanes for room on the link. Loop thread only. */
interface Outgoing {

    /**
     * Sends one step's worth. Whoever has more to send lists itself again.
     *
     * @return false if the link was full; the session lists it again then
     */
    boolean push();

    /** Lists this in the lane that its next step belongs to. */
    void list();
}
