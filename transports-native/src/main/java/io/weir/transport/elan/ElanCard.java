package io.weir.transport.elan;

import io.weir.core.ProtocolMismatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a peer knows of us before a link is prepared: the version of the offers that we understand, and our job.
 *
 * @param job two processes are of one job if theirs is the same
 */
record ElanCard(String job) {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})/([0-9a-f]{16})");

    String encode() {
        return ElanOffer.VERSION + "/" + job;
    }

    /**
     * Reads one.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static ElanCard decode(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new ProtocolMismatch("a card that is none of ours");
        }
        if (Integer.parseInt(form.group(1)) != ElanOffer.VERSION) {
            throw new ProtocolMismatch("version " + form.group(1) + " where we have " + ElanOffer.VERSION);
        }
        return new ElanCard(form.group(2));
    }

    /** Why both can't meet; null if they can. */
    @Nullable
    String separates(ElanCard other) {
        return job.equals(other.job)
                ? null
                : "it is not a process of the same parallel job, and Elan joins only those that were started together";
    }
}
