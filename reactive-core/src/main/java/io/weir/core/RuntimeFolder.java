package io.weir.core;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The private folder in which processes of one user on one host find each other's sockets. */
public final class RuntimeFolder {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private RuntimeFolder() {}

    /** {@code $XDG_RUNTIME_DIR/weir} where that is set, else {@code weir-<user>} in the temporary folder. */
    public static Path standard() {
        String xdg = System.getenv("XDG_RUNTIME_DIR");
        return xdg != null && !xdg.isBlank()
                ? Path.of(xdg, "weir")
                : Path.of(System.getProperty("java.io.tmpdir"), "weir-" + System.getProperty("user.name"));
    }

    /**
     * Makes the folder if it is absent, and checks that it is a real folder that only we can enter: what stands in it
     * is trusted.
     *
     * @return the folder
     * @throws Misconfigured naming the folder and the remedy
     */
    public static Path open(Path folder) {
        try {
            Path parent = folder.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            try {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            } catch (FileAlreadyExistsException e) {
                checkPrivate(folder);
            }
            return folder;
        } catch (IOException | UnsupportedOperationException e) {
            throw unusable(folder, e);
        }
    }

    /**
     * As {@link #open}, but makes nothing: what is not there yet may still be made.
     *
     * @return whether it is there
     * @throws Misconfigured naming the folder and the remedy, if something else is there, or it is not ours alone
     */
    public static boolean check(Path folder) {
        try {
            boolean there = Files.exists(folder, LinkOption.NOFOLLOW_LINKS);
            if (there) {
                checkPrivate(folder);
            }
            return there;
        } catch (IOException | UnsupportedOperationException e) {
            throw unusable(folder, e);
        }
    }

    private static Misconfigured unusable(Path folder, Exception cause) {
        return new Misconfigured(
                "the run-time folder " + folder + " can't be used (" + cause
                        + "); name one that this user may write, weir.runtime-folder",
                cause);
    }

    private static void checkPrivate(Path folder) throws IOException {
        Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new Misconfigured("the run-time folder " + folder + " is not a folder; remove it or name another one,"
                    + " weir.runtime-folder (it belongs to uid " + owner + ")");
        }
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (!owner.equals(self)) {
            throw new Misconfigured("the run-time folder " + folder + " belongs to uid " + owner + ", not to us (uid "
                    + self + "); name another one, weir.runtime-folder");
        }
        Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        if (!OWNER_ONLY.containsAll(allowed)) {
            throw new Misconfigured("the run-time folder " + folder + " is open to others ("
                    + PosixFilePermissions.toString(allowed) + "); run chmod 700 " + folder);
        }
    }
}
