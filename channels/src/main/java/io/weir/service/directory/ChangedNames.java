package io.weir.service.directory;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entries that have changed and were not looked at yet: each once, and no more than are kept. Any thread. */
final class ChangedNames {

    private final Set<String> names = new LinkedHashSet<>();
    private boolean all;
    private boolean awaited;

    /** Returns whether somebody has to look from now on. */
    synchronized boolean add(String name) {
        if (names.size() >= EntryRoom.MOST && !names.contains(name)) {
            // To look at all of them is less than to remember more.
            all = true;
            names.clear();
        }
        if (!all) {
            names.add(name);
        }
        boolean first = !awaited;
        awaited = true;
        return first;
    }

    /** What has changed, in the order of the first change; null if it may be everything. Nobody looks any more. */
    synchronized @Nullable Set<String> take() {
        Set<String> taken = all ? null : new LinkedHashSet<>(names);
        names.clear();
        all = false;
        awaited = false;
        return taken;
    }
}
