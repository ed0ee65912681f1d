package io.weir.service.directory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entry of a node of this process, which holds its lock for as long as it is there. One thread. */
final class HeldEntry {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);

    private final Path folder;
    private final String name;
    private final FileChannel lock;

    /** Others can see it when this returns. */
    HeldEntry(Path folder, String name, byte[] text) throws IOException {
        this.folder = folder;
        this.name = name;
        this.lock = FileChannel.open(file(EntryFolder.LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            FileLock held = lock.lock();
            if (!held.isValid()) {
                throw new IOException("the lock of " + file(EntryFolder.LOCK) + " does not hold");
            }
            write(text);
        } catch (IOException | RuntimeException e) {
            abandon();
            throw e;
        }
    }

    private Path file(String kind) {
        return folder.resolve(name + kind);
    }

    String name() {
        return name;
    }

    /** Whether others can still see it. */
    boolean isThere() {
        return Files.exists(file(EntryFolder.NODE), LinkOption.NOFOLLOW_LINKS)
                && Files.exists(file(EntryFolder.LOCK), LinkOption.NOFOLLOW_LINKS);
    }

    void write(byte[] text) throws IOException {
        Path written = Files.write(file(EntryFolder.NEW), text);
        var unused = Files.move(written, file(EntryFolder.NODE), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Says goodbye. */
    void leave() {
        try {
            EntryFolder.touch(file(EntryFolder.NODE));
            var unused = Files.move(file(EntryFolder.NODE), file(EntryFolder.LEFT), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.debug("The entry {} could not say goodbye", name, e);
        }
        abandon();
    }

    /** Removes what is left of it, without a word. */
    void abandon() {
        remove(EntryFolder.NEW);
        remove(EntryFolder.NODE);
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("The lock of {} did not close as it should", name, e);
        }
        remove(EntryFolder.LOCK);
    }

    private void remove(String kind) {
        try {
            var unused = Files.deleteIfExists(file(kind));
        } catch (IOException e) {
            LOG.debug("The file {} could not be removed; who finds it will", file(kind), e);
        }
    }
}
