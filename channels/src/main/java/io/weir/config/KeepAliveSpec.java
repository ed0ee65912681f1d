package io.weir.config;

import static io.weir.config.NodeSettings.KEEP_ALIVE_INTERVAL;
import static io.weir.config.NodeSettings.KEEP_ALIVE_TIMEOUT;

import java.time.Duration;

/**
 * How a peer is noticed that is not there any more. Immutable.
 *
 * @param interval after this time in which a peer has said nothing it is asked whether it is there, 10 ms to 30 min
 *     ({@code weir.keepalive.interval})
 * @param timeout a peer that has said nothing for this time is given up, twice the interval to 1 h
 *     ({@code weir.keepalive.timeout})
 */
public record KeepAliveSpec(Duration interval, Duration timeout) {

    /** @throws io.weir.core.Misconfigured naming the property, its value and what is allowed */
    public KeepAliveSpec {
        NodeSpecRules.keepAlive(interval, timeout);
    }

    static KeepAliveSpec of(NodeSpec.Builder said) {
        return new KeepAliveSpec(said.get(KEEP_ALIVE_INTERVAL), said.get(KEEP_ALIVE_TIMEOUT));
    }
}
