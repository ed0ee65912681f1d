package io.weir.benchmark.contender;

/**
 * One way of moving messages between two processes, for one cell and one side. It is made for the cell and closed after
 * it, so that nothing of one cell runs on during the next.
 */
interface Contender extends AutoCloseable {

    /**
     * The server's side: opens what a client can connect to on this host, and does what the scenario asks until it is
     * closed.
     *
     * @return where to connect, without spaces
     */
    String serve(Cell cell) throws Exception;

    /**
     * The client's side: connects, exchanges messages and reports each to the meter until that says it is over, or
     * rests until then in {@link Scenario#IDLE}.
     */
    void drive(Cell cell, String address, Meter meter) throws Exception;

    /** By how much the memory in use has grown since the first message could be sent; zero unless the client stalls. */
    default long heldBytes() {
        return 0;
    }

    /** Stops everything that this side has begun; no thread of it keeps a processor busy afterwards. */
    @Override
    void close() throws Exception;
}
