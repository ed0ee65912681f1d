package io.weir.config;

/**
 * What may be in memory at once. Immutable. It is checked as a part of
 * the {@link NodeSpec} that it stands in.
 *
 * @param maxMessage bytes of the longest message, from 1024 ({@code weir.message.max})
 * @param nodeBytes bytes of messages being put together, or lent beyond their windows, at least the longest message, up
 *     to 1 TiB ({@code weir.node.bytes})
 * @param max bytes that the node keeps on behalf of all its peers, or promises them, 16 MiB to 1 TiB; 0: half of what
 *     the JVM may have, of its heap or its direct memory, whichever is less ({@code weir.memory.max})
 * @param resumeBytes bytes under way that a link keeps at most to send them again, 64 KiB to 1 TiB
 *     ({@code weir.resume.bytes})
 */
public record MemorySpec(int maxMessage, long nodeBytes, long max, long resumeBytes) {}
