package io.weir.config;

import java.time.Duration;

/**
 * How a peer is noticed that is not there any more. Immutable. It is checked as a part of
 * the {@link NodeSpec} that it stands in.
 *
 * @param interval after this time in which a peer has said nothing it is asked whether it is there, 10 ms to 30 min
 *     ({@code weir.keepalive.interval})
 * @param timeout a peer that has said nothing for this time is given up, twice the interval to 1 h
 *     ({@code weir.keepalive.timeout})
 */
public record KeepAliveSpec(Duration interval, Duration timeout) {}
