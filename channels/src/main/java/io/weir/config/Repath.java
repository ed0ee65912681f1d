package io.weir.config;

/** Whether the session with a peer may change its path while it lives. */
public enum Repath {
    /** Never: the loss of its path ends the session. */
    OFF,
    /** It falls to the next path when its own is lost, and stays there. */
    ONCE,
    /** It falls to the next path, and climbs when a better one can be used, also when it has begun over TCP. */
    ALWAYS
}
