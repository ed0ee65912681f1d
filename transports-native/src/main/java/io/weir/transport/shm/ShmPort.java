package io.weir.transport.shm;

/** What a link has taken from the system, given back once. Belongs to the loop's thread. */
final class ShmPort implements AutoCloseable {

    private final ShmHalf ours;
    private final ShmHalf theirs;
    private final Meeting lifeline;
    private final Doorbell doorbell;
    private boolean closed;

    /**
     * Takes over everything.
     *
     * @param lifeline hears the doorbell, and the peer's end
     * @param doorbell at the socket of the lifeline
     */
    ShmPort(ShmHalf ours, ShmHalf theirs, Meeting lifeline, Doorbell doorbell) {
        this.ours = ours;
        this.theirs = theirs;
        this.lifeline = lifeline;
        this.doorbell = doorbell;
    }

    /** What we send through. */
    Segment outgoing() {
        return ours.segment();
    }

    /** How much memory of what we send through is there. */
    Growth growth() {
        return ours.growth();
    }

    /** What the peer sends through. */
    Segment incoming() {
        return theirs.segment();
    }

    /** What wakes the peer. */
    Doorbell doorbell() {
        return doorbell;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            lifeline.close();
            theirs.close();
            ours.close();
        }
    }
}
