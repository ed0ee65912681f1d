package io.weir.channel;

import java.util.Locale;

/** How a call has ended. */
public enum CallOutcome {
    SUCCESS,
    ERROR,
    /** Whoever made it has lost interest; of the call of a peer also: the connection is gone. */
    CANCELLED;

    /** In lower case, as metrics have it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
