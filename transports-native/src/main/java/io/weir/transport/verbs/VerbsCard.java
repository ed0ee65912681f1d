package io.weir.transport.verbs;

import io.weir.core.ProtocolMismatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a peer knows of us before a link is prepared: {@code 1 roce v2-ipv4}, or {@code 1 ib fe80000000000000}. The
 * number is the version of the offers that we understand.
 *
 * @param net what two ports on this layer have in common that reach each other
 */
record VerbsCard(LinkLayer layer, String net) {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4}) ([a-z]{1,16}) ([0-9a-z-]{1,32})");

    String encode() {
        return VerbsOffer.VERSION + " " + layer.word() + " " + net;
    }

    /**
     * Reads a card.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static VerbsCard decode(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new ProtocolMismatch("a card that is none of ours");
        }
        if (Integer.parseInt(form.group(1)) != VerbsOffer.VERSION) {
            throw new ProtocolMismatch("version " + form.group(1) + " where we have " + VerbsOffer.VERSION);
        }
        for (LinkLayer layer : LinkLayer.values()) {
            if (layer.word().equals(form.group(2))) {
                return new VerbsCard(layer, form.group(3));
            }
        }
        throw new ProtocolMismatch("the link layer " + form.group(2));
    }

    /** Why the other one is not to be reached, as a sentence, or null if it may be. */
    @Nullable
    String separates(VerbsCard other) {
        if (layer != other.layer) {
            return "its port is on " + other.layer.word() + ", and ours on " + layer.word();
        }
        if (net.equals(other.net)) {
            return null;
        }
        return layer == LinkLayer.INFINIBAND
                ? "its port is in the subnet " + other.net + ", and ours in " + net
                : "its port has a GID of the kind " + other.net + ", and ours " + net
                        + "; set weir.transport.verbs.gid-index on one of both";
    }
}
