package io.weir.channel;

import org.jspecify.annotations.Nullable;

/** What a convention may use of a call, on either side: {@link ClientCallContext}, {@link ServerCallContext}. */
public interface ObservedCall {

    /** Which call it is, as far as that is known; of several tries the latest one. */
    CallDescription call();

    /**
     * The name of the other side, harmless and one of few: peers choose their names. {@code none} while it is not known
     * who takes the call.
     */
    String peerName();

    /** How it has ended; null while it has not. */
    @Nullable
    CallOutcome outcome();
}
