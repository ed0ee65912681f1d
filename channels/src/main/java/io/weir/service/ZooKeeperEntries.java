package io.weir.service;

import io.weir.core.RareLog;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of the entries in ZooKeeper: so many, and so many bytes in all, whoever writes them there. Further ones are as if they were not
 * there, until others have gone and they change. Any thread.
 */
final class ZooKeeperEntries implements CuratorCacheStorage {

    static final int MOST = 4096;
    static final int MOST_BYTES = 16 << 20;

    private final RareLog complaints;
    private final Map<String, ChildData> entries = new HashMap<>();
    private long bytes;

    ZooKeeperEntries(RareLog complaints) {
        this.complaints = complaints;
    }

    private static int size(@Nullable ChildData entry) {
        return entry == null || entry.getData() == null ? 0 : entry.getData().length;
    }

    /** Of one that is too long, only what shows that it is. */
    private static ChildData cut(ChildData entry) {
        int most = ListingText.LONGEST + 1;
        return size(entry) <= most
                ? entry
                : new ChildData(entry.getPath(), entry.getStat(), Arrays.copyOf(entry.getData(), most));
    }

    /** What was there before; the entry itself, for whom there is no room: then Curator takes it for known. */
    @Override
    public synchronized Optional<ChildData> put(ChildData data) {
        ChildData entry = cut(data);
        ChildData before = entries.get(entry.getPath());
        long then = bytes - size(before) + size(entry);
        if ((before == null && entries.size() >= MOST) || then > MOST_BYTES) {
            complaints.warn("An entry of the service directory is passed over, " + entry.getPath()
                    + ": there are " + entries.size() + " of " + bytes + " bytes already, and " + MOST + " of "
                    + MOST_BYTES + " are the most");
            return Optional.of(data);
        }
        entries.put(entry.getPath(), entry);
        bytes = then;
        return Optional.ofNullable(before);
    }

    @Override
    public synchronized Optional<ChildData> remove(String path) {
        ChildData before = entries.remove(path);
        bytes -= size(before);
        return Optional.ofNullable(before);
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
        bytes = 0;
    }
}
