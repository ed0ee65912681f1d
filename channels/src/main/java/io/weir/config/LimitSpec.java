package io.weir.config;

/**
 * How many there may be of what. Immutable. It is checked as a part of
 * the {@link NodeSpec} that it stands in.
 *
 * @param peers connected peers, whichever side has connected, 1 to 2<sup>20</sup> ({@code weir.max.peers})
 * @param channels open channels per peer, 1 to 2<sup>20</sup> ({@code weir.max.channels})
 * @param handshakes accepted connections that are on their way to become sessions, 1 to 65536
 *     ({@code weir.max.handshakes})
 * @param handshakeRate new connections that may be accepted in a second, of those that have proved what they have to,
 *     those of peers with a session here not counted, 1 to 10<sup>6</sup> ({@code weir.max.handshake-rate})
 */
public record LimitSpec(int peers, int channels, int handshakes, int handshakeRate) {}
