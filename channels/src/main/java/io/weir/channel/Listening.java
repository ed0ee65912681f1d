package io.weir.channel;

import io.weir.core.PeerAddress;
import reactor.core.Disposable;

/**
 * A further address that a running node listens at, until this is disposed or the node closes. Disposing keeps further
 * peers from connecting there; those that have connected stay. The port is free when {@link #isDisposed()}, a moment
 * later. Any thread may use it.
 */
public interface Listening extends Disposable {

    /** The address really bound, with the port that was chosen for port 0. */
    PeerAddress address();
}
