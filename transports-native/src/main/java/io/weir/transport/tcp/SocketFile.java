package io.weir.transport.tcp;

import io.weir.core.Misconfigured;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** The file that stands for a Unix-domain socket. Everything here may block. */
final class SocketFile {

    /** What the kernel's address structure has room for. */
    private static final int LONGEST_PATH = 107;

    private final Path path;

    SocketFile(String path) {
        if (path.getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
            throw new Misconfigured("unix:" + path + " is too long for a socket: at most " + LONGEST_PATH
                    + " bytes; choose a shorter folder (weir.runtime-folder)");
        }
        this.path = Path.of(path);
    }

    /**
     * Removes what a process that has died left behind.
     *
     * @throws Misconfigured if another process listens there, or if it is not a socket
     */
    void removeStale() throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isOther()) {
            throw new Misconfigured("unix:" + path
                    + " can't be listened at: it is a file, not a socket; remove it or choose another path");
        }
        if (isAlive(path)) {
            throw inUse();
        }
        removeUnlessTaken();
    }

    /**
     * Another process may have come to the same end in the meantime and listen there now; so the file is moved aside
     * and looked at once more, where nobody else can take it for stale.
     */
    private void removeUnlessTaken() throws IOException {
        Path aside = path.resolveSibling(
                path.getFileName() + "." + ProcessHandle.current().pid() + ".stale");
        Files.move(path, aside);
        if (isAlive(aside)) {
            Files.move(aside, path);
            throw inUse();
        }
        Files.delete(aside);
    }

    private Misconfigured inUse() {
        return new Misconfigured(
                "unix:" + path + " is in use: another process listens there; stop it or choose another path");
    }

    private static boolean isAlive(Path socket) throws IOException {
        try (SocketChannel probe = SocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            boolean connected = probe.connect(UnixDomainSocketAddress.of(socket));
            return connected || probe.isConnectionPending();
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            // Whatever else it says, such as that its backlog is full, somebody is there.
            return Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Lets only our own user connect. */
    void protect() throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** The numeric user that has made it. */
    long owner() throws IOException {
        return ((Number) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue();
    }
}
