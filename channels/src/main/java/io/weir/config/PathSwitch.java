package io.weir.config;

/** Whether a path may be used. */
public enum PathSwitch {
    /** It may. */
    ON,
    /** It may not; {@code off} on either side of a connection is enough to remove the path. */
    OFF,
    /**
     * It must be usable, and nothing that stands behind it in the order is tried: a connection that would have to fall
     * further fails instead, with {@link io.weir.core.PathRequired}.
     */
    REQUIRED
}
