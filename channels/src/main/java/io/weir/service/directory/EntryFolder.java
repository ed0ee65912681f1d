package io.weir.service.directory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files by which the processes of a host announce their nodes to each other. An entry has a name that is never used
 * again, which holds the JVM, the node and a number, and these files:
 *
 * <ul>
 *   <li>{@code .node}: what the node announces; replaced as a whole.
 *   <li>{@code .lock}: locked by the node's process. Who can lock it knows that the process is dead. It is there before
 *       the first and after it.
 *   <li>{@code .left} or {@code .failed}: what became of the first one, by renaming, when the node left, or when
 *       somebody found it dead. Kept for a while, so that everybody sees how it went.
 *   <li>{@code .new}: what the first one is going to be.
 * </ul>
 *
 * No process ever opens the lock of a node of its own JVM: closing it again would let go the lock of the whole process.
 * One thread.
 */
final class EntryFolder {

    static final String NODE = ".node";
    static final String LOCK = ".lock";
    static final String LEFT = ".left";
    static final String FAILED = ".failed";
    static final String NEW = ".new";

    /** Entries that are looked at; whatever has more is no host with nodes on it. */
    private static final int MOST = 4096;

    /** Until what was left behind goes: everybody has looked several times since then. */
    private static final Duration OLD = Duration.ofSeconds(30);

    private static final Pattern FILE =
            Pattern.compile("([0-9a-f]{32}\\.([0-9a-f-]{36})\\.[0-9]{1,9})(\\.node|\\.lock|\\.left|\\.failed|\\.new)");

    /** The same for all class loaders of this JVM, and for no other JVM. */
    private static final String JVM = System.getProperties()
            .computeIfAbsent(
                    "io.weir.service.jvm", key -> UUID.randomUUID().toString().replace("-", ""))
            .toString();

    private static final AtomicInteger MADE = new AtomicInteger();

    private final Path folder;
    private List<String> remains = List.of();

    /** What shows whether a file is still the one that was read. */
    record Stamp(@Nullable Object key, FileTime changed, long size) {}

    /** @param folder may be absent */
    EntryFolder(Path folder) {
        this.folder = folder;
    }

    Path path() {
        return folder;
    }

    /** Whether an entry of this name may be of this node. */
    static boolean isOf(String name, UUID id) {
        return name.contains('.' + id.toString() + '.');
    }

    /** A new entry of this JVM. */
    HeldEntry hold(UUID id, byte[] text) throws IOException {
        return new HeldEntry(folder, JVM + '.' + id + '.' + MADE.getAndIncrement(), text);
    }

    /** The entries that are there. */
    Set<String> names() throws IOException {
        Set<String> names = new HashSet<>();
        List<String> others = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Matcher ours = FILE.matcher(String.valueOf(file.getFileName()));
                if (ours.matches() && ours.group(3).equals(NODE) && names.size() < MOST) {
                    names.add(ours.group(1));
                } else if (ours.matches() && others.size() < MOST) {
                    others.add(ours.group());
                }
            }
        } catch (NoSuchFileException e) {
            // Removed, or not made yet.
        }
        remains = others;
        return names;
    }

    /** Null if it is gone, or is no file. */
    @Nullable
    Stamp stamp(String name) throws IOException {
        BasicFileAttributes file = attributes(name + NODE);
        return file == null ? null : new Stamp(file.fileKey(), file.lastModifiedTime(), file.size());
    }

    private @Nullable BasicFileAttributes attributes(String file) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(folder.resolve(file), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile() ? attributes : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** At most one byte more than is allowed; null if it is gone. */
    byte @Nullable [] read(String name) throws IOException {
        try (InputStream in = Files.newInputStream(folder.resolve(name + NODE), LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(ListingText.LONGEST + 1);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** How an entry that is not there any more has gone; null if nobody has said so. */
    MemberEvent.@Nullable Kind mark(String name) {
        if (Files.exists(folder.resolve(name + LEFT), LinkOption.NOFOLLOW_LINKS)) {
            return MemberEvent.Kind.LEFT;
        }
        return Files.exists(folder.resolve(name + FAILED), LinkOption.NOFOLLOW_LINKS) ? MemberEvent.Kind.FAILED : null;
    }

    /** Marks an entry as that of a dead process, if it is one; true if so. */
    boolean bury(String name) throws IOException {
        return !name.startsWith(JVM) && ifUnlocked(name, () -> rename(name + NODE, name + FAILED));
    }

    /** Whether who lives can prove it. */
    boolean hasLock(String name) throws IOException {
        return attributes(name + LOCK) != null;
    }

    /** What is done while nobody else can do the same. */
    private interface Burial {
        void run() throws IOException;
    }

    private boolean ifUnlocked(String name, Burial burial) throws IOException {
        Path lock = folder.resolve(name + LOCK);
        if (!hasLock(name)) {
            burial.run();
            return true;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock mine = channel.tryLock()) {
            if (mine == null) {
                return false;
            }
            burial.run();
        } catch (NoSuchFileException | OverlappingFileLockException e) {
            return false;
        }
        var unused = Files.deleteIfExists(lock);
        return true;
    }

    private void rename(String from, String to) throws IOException {
        try {
            Path mark = folder.resolve(to);
            touch(folder.resolve(from));
            var unused = Files.move(folder.resolve(from), mark, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // Somebody else has done so.
        }
    }

    /** Its age counts from now. */
    static void touch(Path file) throws IOException {
        var unused = Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
    }

    /** Removes what nobody needs any more of what was there when the names were asked for. */
    void sweep() throws IOException {
        for (String file : remains) {
            BasicFileAttributes attributes = attributes(file);
            if (attributes != null && isOld(attributes)) {
                remove(file);
            }
        }
    }

    private static boolean isOld(BasicFileAttributes file) {
        return System.currentTimeMillis() - file.lastModifiedTime().toMillis() > OLD.toMillis();
    }

    private void remove(String file) throws IOException {
        String name = file.substring(0, file.lastIndexOf('.'));
        if (!file.endsWith(LOCK)) {
            var unused = Files.deleteIfExists(folder.resolve(file));
        } else if (!name.startsWith(JVM) && attributes(name + NODE) == null) {
            var unused = ifUnlocked(name, () -> {});
        }
    }
}
