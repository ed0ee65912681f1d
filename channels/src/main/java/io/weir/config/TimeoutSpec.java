package io.weir.config;

import java.time.Duration;

/**
 * How long is waited for what, each up to 1 h. Immutable. It is checked as a part of
 * the {@link NodeSpec} that it stands in.
 *
 * @param connect until a peer's address answers ({@code weir.timeout.connect})
 * @param handshake until a connection can be used ({@code weir.timeout.handshake})
 * @param step until one path is open or given up, and until a move to it counts as failed because nothing gets through
 *     ({@code weir.timeout.step})
 * @param headStart how long a better path may take to open before the session begins over TCP and climbs as soon as it
 *     is open, from 0 ({@code weir.timeout.head-start}); only where it may change its path, {@link Repath#ALWAYS}
 * @param drain how long closing waits for what is under way, from 0 ({@code weir.timeout.drain})
 * @param resume how long a session may be without a path, or on its way to another one, from 10 ms
 *     ({@code weir.timeout.resume})
 * @param rejoin how long a session waits for another bootstrap connection when the other side's host, or something on
 *     the way, has closed it, from 0 ({@code weir.timeout.rejoin}); when nothing is heard any more it waits for
 *     {@code resume}
 * @param start how long starting waits for the peers that are required ({@code weir.timeout.start})
 */
public record TimeoutSpec(
        Duration connect,
        Duration handshake,
        Duration step,
        Duration headStart,
        Duration drain,
        Duration resume,
        Duration rejoin,
        Duration start) {}
