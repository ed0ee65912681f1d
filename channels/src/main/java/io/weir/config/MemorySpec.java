package io.weir.config;

import static io.weir.config.NodeSettings.MEMORY_MAX;
import static io.weir.config.NodeSettings.MESSAGE_MAX;
import static io.weir.config.NodeSettings.NODE_BYTES;
import static io.weir.config.NodeSettings.RESUME_BYTES;

import io.weir.core.SettingText;

/**
 * What may be in memory at once. Immutable.
 *
 * @param maxMessage bytes of the longest message, from 1024 ({@code weir.message.max})
 * @param nodeBytes bytes of messages being put together, or lent beyond their windows, at least the longest message, up
 *     to 1 TiB ({@code weir.node.bytes})
 * @param max bytes that the node keeps on behalf of all its peers, or promises them, 16 MiB to 1 TiB; 0: half of what
 *     the JVM may have, of its heap or its direct memory, whichever is less ({@code weir.memory.max})
 * @param resumeBytes bytes under way that a link keeps at most to send them again, 64 KiB to 1 TiB
 *     ({@code weir.resume.bytes})
 */
public record MemorySpec(int maxMessage, long nodeBytes, long max, long resumeBytes) {

    /** @throws io.weir.core.Misconfigured naming the property, its value and what is allowed */
    public MemorySpec {
        MESSAGE_MAX.check(maxMessage);
        NodeSpecRules.range(
                NODE_BYTES.name(),
                nodeBytes,
                maxMessage,
                NodeSettings.TERABYTE,
                SettingText::ofSize,
                ", where the least is " + MESSAGE_MAX.name());
        MEMORY_MAX.check(max);
        RESUME_BYTES.check(resumeBytes);
    }

    static MemorySpec of(NodeSpec.Builder said) {
        return new MemorySpec(
                said.get(MESSAGE_MAX), said.get(NODE_BYTES), said.get(MEMORY_MAX), said.get(RESUME_BYTES));
    }
}
