package io.weir.service.directory;

import java.util.Objects;

/**
 * What has happened to a node of the cluster.
 *
 * @param kind what
 * @param member the node, as it was last seen
 */
public record MemberEvent(Kind kind, Member member) {

    /** What happens to members. */
    public enum Kind {
        /** It is there. */
        JOINED,
        /** It announces something else of itself. */
        CHANGED,
        /** It has said goodbye. */
        LEFT,
        /** It is gone without a goodbye: dead, or cut off. */
        FAILED
    }

    public MemberEvent {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(member, "member");
    }
}
