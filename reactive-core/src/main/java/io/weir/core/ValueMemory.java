package io.weir.core;

/**
 * The memory for one value that is decoded. A codec says what it is about to make, so that a short payload can't become
 * a value for which there is no memory. One thread at a time.
 */
@FunctionalInterface
public interface ValueMemory {

    /** Where there is nothing to be counted. */
    ValueMemory UNLIMITED = bytes -> {};

    /**
     * Counts a further part of the value, before it is made.
     *
     * @param bytes about what it takes
     * @throws Overloaded if there is no memory for it; then the value is given up
     */
    void use(long bytes);
}
