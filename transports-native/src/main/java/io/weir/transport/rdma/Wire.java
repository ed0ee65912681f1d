package io.weir.transport.rdma;

import io.weir.core.WeirException;

/**
 * A reliable connection of a network that carries whole messages, in order, into slots that the receiver has made
 * ready: the first message lies in the first slot that was made ready, and so on. Belongs to the loop's thread. Trusts
 * that it is told of memory that is there, and of no more slots than were agreed.
 *
 * <p>What fails, fails for good: the methods throw a {@link WeirException} that says in words what the device or the
 * library has said, and nothing but {@link #close} is called afterwards.
 */
public interface Wire extends AutoCloseable {

    /**
     * Who is told by {@link #poll} of what has happened. May call the wire, but not {@link #poll} or {@link #close}.
     */
    interface Completions {

        /** A message has come, and lies in the slot that was made ready before all others that are. */
        void received(int bytes);

        /**
         * The messages sent before have arrived, so that their memory can be used again, up to and including the one
         * with this number, counted from 1. Not told of each: told of a later one, the earlier ones have arrived as
         * well.
         */
        void sent(long number);

        /** What was to be read for this number is here. */
        void read(int token);
    }

    /**
     * How many bytes the wire needs for itself behind each message that {@link #send} names, and behind each slot that
     * {@link #receive} names. A multiple of 8.
     */
    default int trailerBytes() {
        return 0;
    }

    /** Where in a slot of so many bytes a message of that length begins. */
    default int offset(int slotBytes, int bytes) {
        return 0;
    }

    /** Makes a slot ready for the next message that finds no earlier one. */
    void receive(long address, int key, int bytes);

    /**
     * Sends a message into the peer's next slot. The memory is left alone until {@link Completions#sent} tells of it.
     *
     * @param report whether {@link Completions#sent} has to be told of this message, and so of all before; at least
     *     each eighth is
     */
    void send(long address, int key, int bytes, boolean report);

    /**
     * Begins to read from the peer's memory, in any order among other reads. At most {@link #maxReads} are under way.
     *
     * @param token what {@link Completions#read} names it by
     */
    void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token);

    /** How many reads may be under way at once; at least 1. */
    int maxReads();

    /**
     * Tells of what has happened, a bounded part at a time. Returns how much that was; zero if there is nothing more.
     */
    int poll(Completions to);

    /**
     * Whether the loop may sleep: from here on {@link #descriptor} becomes readable when something happens, and nothing
     * had before. Has to be called anew before each sleep.
     */
    boolean arm();

    /** What the loop watches. */
    int descriptor();

    /** The descriptor is readable: makes it unreadable. */
    void awake();

    /** Ends the connection, and frees what it had of the library. What was not sent yet may be lost. Idempotent. */
    @Override
    void close();

    /**
     * Ends the connection, as {@link #close()} does, for the first time.
     *
     * @param quiet called once when the device touches none of the memory that it was told of any more: before this
     *     returns, or later on any thread where a device can't be kept from what it has begun
     */
    default void close(Runnable quiet) {
        close();
        quiet.run();
    }
}
