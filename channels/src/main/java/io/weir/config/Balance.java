package io.weir.config;

/** Which of the instances of a service takes a call. */
public enum Balance {
    /** Each in its turn. */
    ROUND_ROBIN,
    /** The one with the fewest calls of this client that have not ended. */
    LEAST_OUTSTANDING
}
