package io.weir.channel;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** What a {@link CallInterceptor} knows of one call while it is under way. */
public interface WatchedCall {

    /** The Reactor context for what stands behind the call, made of the one that it is subscribed to with. */
    default Context context(Context context) {
        return context;
    }

    /**
     * The call is over. Called once, on the thread that it ends on, before the subscriber's signal; must not block.
     *
     * @param error what it has failed with; null for every other outcome
     */
    default void ended(CallOutcome outcome, @Nullable Throwable error) {}
}
