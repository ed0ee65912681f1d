package io.weir.channel;

import io.weir.core.ForeignText;
import io.weir.memory.MemoryAccount;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Names of peers as metrics may have them. Peers choose their names, so they could fill a registry: beyond
 * {@link #MOST} names they are {@link #OTHERS}, and those of one identity can take no more than half of what others
 * have left. Any thread.
 */
final class PeerNames {

    static final int MOST = 256;

    static final String OTHERS = "(others)";

    private final ConcurrentMap<String, String> known = new ConcurrentHashMap<>();
    /** How many names each identity has brought; guarded by this. */
    private final Map<Object, Integer> brought = new HashMap<>();

    /** @param identity as {@link MemoryAccount} has it; null: those of one that is trusted */
    String label(String name, @Nullable Object identity) {
        String label = known.get(name);
        return label != null ? label : add(name, identity);
    }

    private synchronized String add(String name, @Nullable Object identity) {
        int free = MOST - known.size();
        int its = identity == null ? 0 : brought.getOrDefault(identity, 0);
        if (its >= free) {
            return known.getOrDefault(name, OTHERS);
        }
        return known.computeIfAbsent(name, any -> {
            if (identity != null) {
                brought.put(identity, its + 1);
            }
            return ForeignText.brief(name);
        });
    }
}
