package io.weir.config;

import static io.weir.config.NodeSettings.WINDOW_BYTES;
import static io.weir.config.NodeSettings.WINDOW_INITIAL;
import static io.weir.config.NodeSettings.WINDOW_ITEMS;

/**
 * What may be under way on one channel, in each direction. Immutable.
 *
 * @param items messages, 1 to 2<sup>30</sup> ({@code weir.window.items})
 * @param bytes of messages, 64 KiB to 1 TiB ({@code weir.window.bytes})
 * @param initial messages that may travel before the receiver asks, 0 to {@code items} ({@code weir.window.initial})
 */
public record WindowSpec(long items, long bytes, long initial) {

    /** @throws io.weir.core.Misconfigured naming the property, its value and what is allowed */
    public WindowSpec {
        WINDOW_ITEMS.check(items);
        WINDOW_BYTES.check(bytes);
        NodeSpecRules.range(
                WINDOW_INITIAL.name(), initial, 0, items, Long::toString, ", where the most is " + WINDOW_ITEMS.name());
    }

    static WindowSpec of(NodeSpec.Builder said) {
        return new WindowSpec(said.get(WINDOW_ITEMS), said.get(WINDOW_BYTES), said.get(WINDOW_INITIAL));
    }
}
