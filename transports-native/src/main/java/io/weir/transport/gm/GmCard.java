package io.weir.transport.gm;

import io.weir.core.ProtocolMismatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a peer knows of us before a link is prepared: {@code 1}, the version of the offers that we understand. */
final class GmCard {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})");

    private GmCard() {}

    static String encode() {
        return Integer.toString(GmOffer.VERSION);
    }

    /**
     * Returns a card that can be used.
     *
     * @throws ProtocolMismatch if it can't be
     */
    static String checked(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new ProtocolMismatch("a card that is none of ours");
        }
        if (Integer.parseInt(form.group(1)) != GmOffer.VERSION) {
            throw new ProtocolMismatch("version " + form.group(1) + " where we have " + GmOffer.VERSION);
        }
        return text;
    }
}
