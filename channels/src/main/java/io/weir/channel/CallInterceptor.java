package io.weir.channel;

import io.weir.core.ControlData;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Watches the calls that a node makes and answers, and adds to them: {@link Node#intercept}. Calls are asks, tells,
 * streams, exchanges and stages of a {@link Peer}, also those of a service, the methods of remote interfaces, and what
 * a node answers, streams and serves. Channels that one opens or accepts oneself are none, nor are mailboxes.
 *
 * <p>Called by any thread, often on a loop: must not block. What it throws is logged, and the call goes on without it.
 */
public interface CallInterceptor {

    /**
     * A call of this node begins, as somebody has subscribed to it. All tries of a proxy are one call.
     *
     * @param context of that subscriber
     * @return what watches this call; null: nothing does
     */
    default @Nullable OutgoingCall calling(CallDescription call, ContextView context) {
        return null;
    }

    /**
     * A peer calls this node.
     *
     * @param control of the request, as the peer has sent it. Empty for a channel that is served by {@link Node#serve},
     *     because the handler decides when its first message is received
     * @return what watches this call; null: nothing does
     */
    default @Nullable IncomingCall called(CallDescription call, ControlData control) {
        return null;
    }
}
