package io.weir.core;

import java.util.Objects;

/**
 * Whether a path can be used by this process at all. Something that is absent is a value with a sentence, never a stack
 * trace: the sentence reaches the path decision, the log, the health endpoint and the skip message of a test.
 */
public sealed interface Availability {

    /**
     * The path is usable.
     *
     * @param card what the adapter wants the peer's adapter to know before a link is prepared; may be empty, and is
     *     sent to every peer, so it must not hold a secret; at most 1024 characters
     * @param details what the path uses here, as a device and its port, for people to read; may be empty
     */
    record Ready(String card, String details) implements Availability {
        /** Ready, with nothing to announce beforehand. */
        public Ready() {
            this("");
        }

        /** Ready, without details. */
        public Ready(String card) {
            this(card, "");
        }

        public Ready {
            Objects.requireNonNull(card, "card");
            Objects.requireNonNull(details, "details");
        }
    }

    /**
     * The path can't be used here.
     *
     * @param reason a sentence that names the missing thing and, where there is one, the remedy
     */
    record Missing(String reason) implements Availability {
        public Missing {
            Objects.requireNonNull(reason, "reason");
        }
    }
}
