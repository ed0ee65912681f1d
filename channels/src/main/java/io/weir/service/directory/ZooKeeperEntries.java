package io.weir.service.directory;

import io.weir.core.RareLog;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of the entries in ZooKeeper, as far as there is room, whoever writes them there. Those that are too long
 * are as if they were not there, and further ones as well, until others have gone. Any thread.
 */
final class ZooKeeperEntries implements CuratorCacheStorage {

    private final RareLog complaints;
    private final EntryRoom room;
    private final Map<String, ChildData> entries = new HashMap<>();
    /** For which there was no room. */
    private final Set<String> refused = new LinkedHashSet<>();

    ZooKeeperEntries(RareLog complaints, EntryRoom room) {
        this.complaints = complaints;
        this.room = room;
    }

    /** What was there before; the entry itself, for whom there is no room: then Curator takes it for known. */
    @Override
    public synchronized Optional<ChildData> put(ChildData data) {
        byte[] text = data.getData() == null ? new byte[0] : data.getData();
        try {
            ListingText.checkLength(text);
            room.take(data.getPath(), EntryRoom.cost(text));
        } catch (IllegalArgumentException e) {
            if (e instanceof EntryRoom.Full && refused.size() < EntryRoom.MOST) {
                refused.add(data.getPath());
            }
            complaints.warn(
                    "An entry of the service directory is passed over, " + data.getPath() + ": " + e.getMessage());
            return Optional.of(data);
        }
        refused.remove(data.getPath());
        return Optional.ofNullable(entries.put(data.getPath(), data));
    }

    /** One for which there was no room and may be now: it is to be read and put once more. Null: none. */
    synchronized @Nullable String further() {
        if (!room.mayFit() || refused.isEmpty()) {
            return null;
        }
        String path = refused.iterator().next();
        refused.remove(path);
        return path;
    }

    @Override
    public synchronized Optional<ChildData> remove(String path) {
        refused.remove(path);
        room.give(path);
        return Optional.ofNullable(entries.remove(path));
    }

    @Override
    public synchronized Optional<ChildData> get(String path) {
        return Optional.ofNullable(entries.get(path));
    }

    @Override
    public synchronized int size() {
        return entries.size();
    }

    @Override
    public synchronized Stream<ChildData> stream() {
        return List.copyOf(entries.values()).stream();
    }

    @Override
    public synchronized void clear() {
        entries.clear();
        refused.clear();
        room.clear();
    }
}
