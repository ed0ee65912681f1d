package io.weir.core;

/** What may be repeated after an error, so that nothing is done twice that must not be. */
public enum Repeat {
    /** Nothing was sent: anything may be repeated. */
    ANY,
    /**
     * It may have been done, in part or as a whole, without an answer having come: what may be done twice may be
     * repeated.
     */
    IDEMPOTENT,
    /** Repeating is in vain until the configuration or the code has changed. It says nothing about what was done. */
    NEVER
}
