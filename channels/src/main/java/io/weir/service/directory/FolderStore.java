package io.weir.service.directory;

import io.weir.core.Misconfigured;
import io.weir.core.PeerId;
import io.weir.core.RareLog;
import io.weir.core.RuntimeFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what nodes announce in the run-time folder, for the processes of one user on one host. See {@link EntryFolder}
 * for the files. All of them are looked at periodically, and at once where the system reports changes.
 */
final class FolderStore implements DirectoryStore {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);

    /** Milliseconds: how soon the death of a process is seen. Each look costs some 20 us for each node of the host. */
    private static final long PERIOD = 500;

    /** Milliseconds in which changes gather before they are looked at. */
    private static final long GATHERING = 10;

    /**
     * Nanoseconds for which a file is missed that nobody has marked: the owner, if it lives, has made another entry by
     * then.
     */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(2);

    private final Path folder;
    private final @Nullable PeerId self;
    private final View view;
    private final ScheduledThreadPoolExecutor worker;
    private final EntryFolder entries;
    private final EntryRoom room;
    private final Map<String, Seen> seen = new HashMap<>();
    private final RareLog complaints = new RareLog(LOG, System::nanoTime);
    private final AtomicBoolean lookScheduled = new AtomicBoolean();
    private boolean closed;
    private @Nullable Listing told;
    private @Nullable HeldEntry own;
    private @Nullable FolderWatch watch;
    private @Nullable ScheduledFuture<?> looking;

    /** An entry as it was read last. */
    private static final class Seen {

        private EntryFolder.@Nullable Stamp stamp;
        /** Null if it could not be read. */
        private @Nullable PeerId id;

        /** It was not read, as there was no room. */
        private boolean refused;

        /** Since when a file of it is missed; null: none is. */
        private @Nullable Long missing;

        boolean isOverdue() {
            long now = System.nanoTime();
            if (missing == null) {
                missing = now;
            }
            return now - missing > GRACE;
        }
    }

    /**
     * @param self the own node; null if there is none
     * @param room for what others write
     */
    FolderStore(
            Path runtimeFolder, @Nullable PeerId self, View view, ScheduledThreadPoolExecutor worker, EntryRoom room) {
        this.folder = runtimeFolder;
        this.self = self;
        this.view = view;
        this.worker = worker;
        this.room = room;
        this.entries = new EntryFolder(runtimeFolder.resolve("directory"));
    }

    @Override
    public void open() throws IOException {
        make();
        look();
        looking = worker.scheduleWithFixedDelay(this::lookAgain, PERIOD, PERIOD, TimeUnit.MILLISECONDS);
    }

    /** The folder, private, and what reports changes in it. */
    private void make() {
        Path parent = RuntimeFolder.open(folder);
        Path made = RuntimeFolder.open(parent.resolve("directory"));
        if (watch != null) {
            watch.close();
        }
        watch = FolderWatch.of(made, this::changed);
    }

    /** Any thread. */
    private void changed() {
        // Its thread has ended if it found no memory between two tasks, and no other one could be started then.
        worker.prestartCoreThread();
        if (lookScheduled.compareAndSet(false, true)) {
            try {
                var unused = worker.schedule(this::lookAgain, GATHERING, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("The service directory was closed while it changed");
            } catch (OutOfMemoryError e) {
                lookScheduled.set(false);
                throw e;
            }
        }
    }

    @Override
    public void publish(Listing listing) throws IOException {
        byte[] text = ListingText.write(listing);
        HeldEntry entry = own;
        if (entry == null || !entry.isThere()) {
            entry = again(listing.member().id().id(), text);
        } else {
            entry.write(text);
        }
        own = entry;
        told = listing;
    }

    /** Under a name that was never used, as others may be about to sweep away what had the former one. */
    private HeldEntry again(UUID id, byte[] text) throws IOException {
        if (own != null) {
            own.abandon();
            own = null;
        }
        if (told != null) {
            // The folder may be gone as well, or have been something else when it was tried last.
            make();
        }
        try {
            return entries.hold(id, text);
        } catch (IOException e) {
            throw new Misconfigured(
                    "the service directory can't be kept in " + entries.path() + " (" + e
                            + "): name a folder of a local file system that this user may write, weir.runtime-folder,"
                            + " or set weir.directory=off",
                    e);
        }
    }

    /** A periodic task that fails is not run again, and nobody else would find out what changes. */
    private void lookAgain() {
        try {
            lookOnce();
        } catch (OutOfMemoryError e) {
            // The next look comes, and a log needs memory as well.
        }
    }

    private void lookOnce() {
        lookScheduled.set(false);
        if (closed) {
            return;
        }
        try {
            if (told != null && (own == null || !own.isThere())) {
                complaints.warn("The entry of this node in " + entries.path() + " was removed; it is made anew");
                publish(told);
            }
            look();
        } catch (IOException | RuntimeException e) {
            complaints.warn("The service directory can't be read: " + e);
        }
    }

    private void look() throws IOException {
        Set<String> names = entries.names();
        if (room.mayFit()) {
            seen.values().stream().filter(entry -> entry.refused).forEach(entry -> entry.stamp = null);
        }
        for (String name : names) {
            if (own == null || !own.name().equals(name)) {
                read(name);
            }
        }
        for (String name : new HashSet<>(seen.keySet())) {
            if (!names.contains(name)) {
                missed(name);
            }
        }
        entries.sweep();
    }

    private void read(String name) throws IOException {
        EntryFolder.Stamp stamp = entries.stamp(name);
        if (stamp == null) {
            return;
        }
        Seen entry = seen.computeIfAbsent(name, key -> new Seen());
        if (!stamp.equals(entry.stamp)) {
            entry.stamp = stamp;
            try {
                take(name, entry);
            } catch (OutOfMemoryError e) {
                entry.stamp = null;
                throw e;
            }
        }
        if (entries.hasLock(name)) {
            entry.missing = null;
        } else if (!entry.isOverdue()) {
            return;
        }
        if (entries.bury(name)) {
            // Its mark says how it went, in the next look.
            changed();
        }
    }

    private void take(String name, Seen entry) throws IOException {
        try {
            byte[] text = entries.read(name);
            if (text == null) {
                entry.stamp = null;
                return;
            }
            ListingText.checkLength(text);
            entry.refused = false;
            Listing listing = ListingText.read(text);
            PeerId id = listing.member().id();
            if (!EntryFolder.isOf(name, id.id())) {
                throw new IllegalArgumentException("it tells of " + id + ", whose entry has another name");
            }
            // What was read of it before stays, and counts, where this finds no room.
            room.take(name, EntryRoom.cost(text));
            PeerId before = entry.id;
            entry.id = id;
            if (before != null && !before.equals(id)) {
                // Nobody announces the other one here any more.
                gone(before, MemberEvent.Kind.FAILED);
            }
            if (!id.equals(self)) {
                view.put(listing);
            }
        } catch (IllegalArgumentException e) {
            entry.refused = e instanceof EntryRoom.Full;
            complaints.warn("An entry of the service directory is passed over, " + entries.path() + '/' + name + ": "
                    + e.getMessage());
        }
    }

    private void missed(String name) {
        MemberEvent.Kind how = entries.mark(name);
        Seen entry = seen.get(name);
        if (entry == null || (how == null && !entry.isOverdue())) {
            return;
        }
        seen.remove(name);
        room.give(name);
        PeerId id = entry.id;
        if (id == null || id.equals(self)) {
            return;
        }
        if (how != null) {
            // A former entry of the same node, which vanished, has nothing more to say.
            seen.entrySet().removeIf(other -> {
                boolean former = id.equals(other.getValue().id) && other.getValue().missing != null;
                if (former) {
                    room.give(other.getKey());
                }
                return former;
            });
        }
        gone(id, how == null ? MemberEvent.Kind.FAILED : how);
    }

    /** An entry says nothing of this node any more. */
    private void gone(PeerId id, MemberEvent.Kind how) {
        List<Seen> others =
                seen.values().stream().filter(other -> id.equals(other.id)).toList();
        if (others.isEmpty()) {
            view.remove(id, how);
        } else {
            // What is known of it may be what this entry said: the next look reads the others.
            others.forEach(other -> other.stamp = null);
        }
    }

    @Override
    public void close() {
        closed = true;
        if (looking != null) {
            looking.cancel(false);
        }
        if (watch != null) {
            watch.close();
        }
        if (own != null) {
            own.leave();
        }
    }
}
