package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * Everything that Weir signals. The message names the thing and the remedy; the type says whether trying again may
 * help, and {@link #repeat()} what may be tried again.
 */
public abstract sealed class WeirException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private WeirException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** What may be repeated after this. */
    public abstract Repeat repeat();

    /**
     * The same error for a side that has sent nothing when it happens: {@link Repeat#ANY}, unless repeating is in vain.
     */
    public WeirException unsent() {
        return this;
    }

    /**
     * Whether anything that failed with this may be repeated: nothing of it was sent. To be given to the filter of a
     * retry; errors of others are not repeated.
     */
    public static boolean mayRepeat(Throwable error) {
        return error instanceof WeirException it && it.repeat() == Repeat.ANY;
    }

    /** As {@link #mayRepeat}, for what may be done twice: also true if it may have been done. */
    public static boolean mayRepeatIdempotent(Throwable error) {
        return error instanceof WeirException it && it.repeat() != Repeat.NEVER;
    }

    /** Trying again later may succeed. */
    public abstract static sealed class Retryable extends WeirException
            permits PeerUnavailable, SessionLost, TimedOut, Overloaded {

        private static final long serialVersionUID = 1L;

        private final Repeat repeat;

        Retryable(String message, @Nullable Throwable cause, Repeat repeat) {
            super(message, cause);
            if (repeat == Repeat.NEVER) {
                throw new IllegalArgumentException("what may succeed later is not in vain");
            }
            this.repeat = repeat;
        }

        @Override
        public final Repeat repeat() {
            return repeat;
        }
    }

    /** Trying again without a change of configuration or code gives the same result. */
    public abstract static sealed class Permanent extends WeirException
            permits Misconfigured,
                    PathRequired,
                    ProtocolMismatch,
                    Refused,
                    AuthenticationFailed,
                    MessageTooLarge,
                    RemoteFailure {

        private static final long serialVersionUID = 1L;

        Permanent(String message, @Nullable Throwable cause) {
            super(message, cause);
        }

        @Override
        public final Repeat repeat() {
            return Repeat.NEVER;
        }
    }
}
