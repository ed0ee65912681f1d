package io.weir.channel;

import io.weir.core.ControlData;

/** A call that this node makes. Its {@link #context} is that of the streams that are sent with it. */
public interface OutgoingCall extends WatchedCall {

    /**
     * The request is about to be sent; a proxy may try more than once, and not with the same peer.
     *
     * @param call with the peer
     * @param control what the request, or the first message of a stream, carries so far
     * @return what it is to carry; a peer ignores what it does not know
     */
    default ControlData sending(CallDescription call, ControlData control) {
        return control;
    }
}
