package io.weir.transport.dapl;

import io.weir.core.ProtocolMismatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a peer knows of us before a link is prepared: {@code 1 rdma-cm}. The number is the version of the offers that we
 * understand.
 *
 * @param kind how our provider connects
 */
record DaplCard(String kind) {

    static final int LONGEST_KIND = 64;

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4}) ([A-Za-z0-9-]{1," + LONGEST_KIND + "})");

    String encode() {
        return DaplOffer.VERSION + " " + kind;
    }

    /**
     * Reads a card.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static DaplCard decode(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new ProtocolMismatch("a card that is none of ours");
        }
        if (Integer.parseInt(form.group(1)) != DaplOffer.VERSION) {
            throw new ProtocolMismatch("version " + form.group(1) + " where we have " + DaplOffer.VERSION);
        }
        return new DaplCard(form.group(2));
    }

    /** Why the other one is not to be reached, as a sentence, or null if it may be. */
    @Nullable
    String separates(DaplCard other) {
        return kind.equals(other.kind)
                ? null
                : "its provider of uDAPL connects by " + other.kind + ", and ours by " + kind
                        + "; set weir.transport.dapl.adapter on one of both";
    }
}
