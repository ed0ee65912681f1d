package io.weir.config;

import static io.weir.config.NodeSettings.MAX_CHANNELS;
import static io.weir.config.NodeSettings.MAX_HANDSHAKES;
import static io.weir.config.NodeSettings.MAX_HANDSHAKE_RATE;
import static io.weir.config.NodeSettings.MAX_PEERS;

/**
 * How many there may be of what. Immutable.
 *
 * @param peers connected peers, whichever side has connected, 1 to 2<sup>20</sup> ({@code weir.max.peers})
 * @param channels open channels per peer, 1 to 2<sup>20</sup> ({@code weir.max.channels})
 * @param handshakes accepted connections that are on their way to become sessions, 1 to 65536
 *     ({@code weir.max.handshakes})
 * @param handshakeRate new connections that may be accepted in a second, of those that have proved what they have to,
 *     those of peers with a session here not counted, 1 to 10<sup>6</sup> ({@code weir.max.handshake-rate})
 */
public record LimitSpec(int peers, int channels, int handshakes, int handshakeRate) {

    /** @throws io.weir.core.Misconfigured naming the property, its value and what is allowed */
    public LimitSpec {
        MAX_PEERS.check(peers);
        MAX_CHANNELS.check(channels);
        MAX_HANDSHAKES.check(handshakes);
        MAX_HANDSHAKE_RATE.check(handshakeRate);
    }

    static LimitSpec of(NodeSpec.Builder said) {
        return new LimitSpec(
                said.get(MAX_PEERS), said.get(MAX_CHANNELS), said.get(MAX_HANDSHAKES), said.get(MAX_HANDSHAKE_RATE));
    }
}
