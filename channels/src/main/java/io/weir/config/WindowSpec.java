package io.weir.config;

/**
 * What may be under way on one channel, in each direction. Immutable. It is checked as a part of
 * the {@link NodeSpec} that it stands in. {@link NodeDefaults} has the defaults.
 *
 * @param items messages, 1 to 2<sup>30</sup> ({@code weir.window.items})
 * @param bytes of messages, 64 KiB to 1 TiB ({@code weir.window.bytes})
 * @param initial messages that may travel before the receiver asks, 0 to {@code items} ({@code weir.window.initial})
 */
public record WindowSpec(long items, long bytes, long initial) {}
