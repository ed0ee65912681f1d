package io.weir.channel;

import java.util.Locale;

/** How a call goes on. */
public enum CallKind {

    /** A message for which no answer is expected; ends when it is on the wire. */
    TELL,

    /** A request, and at most one answer. */
    ASK,

    /** A request, and a stream that answers it. */
    STREAM,

    /** A stream in either direction. */
    EXCHANGE;

    /** In lower case, as metrics have it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
