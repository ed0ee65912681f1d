package io.weir.fabric.guest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves anything behind in the devices: connections, queues, registered memory, packet sockets of
 * any process.
 */
public final class DeviceCheck implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(DeviceCheck.class);

    @Override
    public void beforeEach(ExtensionContext context) throws IOException, InterruptedException {
        context.getStore(NAMESPACE).put("before", now());
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, InterruptedException {
        String before = context.getStore(NAMESPACE).get("before", String.class);
        // A process that has been killed is cleared up after by the kernel, and a device is closed by a thread of its
        // own.
        Patience.until(() -> "only what was there before:\n" + before, () -> now().equals(before));
    }

    /** What is open of an emulation. */
    private static String filesOf(Path folder, LongPredicate counts) throws IOException {
        SortedSet<String> open = new TreeSet<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (hasAnOwner(file, counts)) {
                    open.add(folder.relativize(file).toString());
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                // Devices are closed while this goes on: a file that was listed may be gone when it is looked at.
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                if (failure != null && !(failure instanceof NoSuchFileException)) {
                    throw failure;
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return String.join(", ", open);
    }

    /** Whoever was killed leaves a file, in which its number stands. */
    private static boolean hasAnOwner(Path port, LongPredicate counts) {
        try (InputStream in = Files.newInputStream(port)) {
            ByteBuffer begin =
                    ByteBuffer.wrap(in.readNBytes(Long.BYTES + Integer.BYTES)).order(ByteOrder.nativeOrder());
            return begin.remaining() == Long.BYTES + Integer.BYTES
                    && counts.test(begin.getInt(Long.BYTES))
                    && ProcessHandle.of(begin.getInt(Long.BYTES)).isPresent();
        } catch (IOException e) {
            // Removed meanwhile.
            return false;
        }
    }

    /** How many there are of each kind. */
    static String now() throws IOException, InterruptedException {
        if (Fabric.here().contains(Fabric.P4SOCK)) {
            return Files.readString(Path.of("/proc/thread-self/net/packet")).replaceAll("[0-9a-f]{16}", "");
        }
        if (Fabric.here().contains(Fabric.ELAN)) {
            // This process joins its job once, in some test.
            return filesOf(
                    Path.of(System.getenv("ELANEMU_DIR")),
                    owner -> owner != ProcessHandle.current().pid());
        }
        String emulation = System.getenv("GMEMU_DIR");
        return emulation == null ? Program.run("rdma", "resource", "show") : filesOf(Path.of(emulation), owner -> true);
    }
}
