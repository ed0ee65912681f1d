package io.weir.samples.files;

import io.weir.core.FileSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of one folder, for whoever can name them. A name comes from another process: it is a name and no path, so
 * that nothing outside of the folder is reached; what is no regular file, a symbolic link for instance, is no file
 * here.
 *
 * <p>All of this may wait for a disk.
 */
record Folder(Path path) {

    /**
     * No separator, no control character, and no beginning that hides it, as that of ours for files that are being
     * written.
     */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}");

    private static final int QUOTED = 100;

    /** A file. */
    record Entry(String name, long size) {}

    /** What there is. To be closed. */
    @SuppressWarnings("StreamResourceLeak") // By whoever asks.
    Stream<Entry> list() {
        try {
            return Files.list(path)
                    .filter(file -> isName(file.getFileName().toString()) && isFile(file))
                    .map(Folder::entry);
        } catch (IOException e) {
            throw new UncheckedIOException("the folder can't be read: " + e.getMessage(), e);
        }
    }

    private static Entry entry(Path file) {
        try {
            return new Entry(file.getFileName().toString(), Files.size(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a file for reading. */
    FileSource read(String name) throws IOException {
        Path file = resolve(name);
        if (!isFile(file)) {
            throw new IOException("there is no file '" + name + '\'');
        }
        return FileSource.open(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Where a file of this name is or will be. */
    Path resolve(String name) throws IOException {
        if (!isName(name)) {
            throw new IOException(
                    "'" + quoted(name) + "' is no name of a file here: it has up to 100 letters, digits or ._- and"
                            + " begins with none of the dots");
        }
        return path.resolve(name);
    }

    private static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** It ends up in logs. */
    private static String quoted(String name) {
        String begin = name.length() <= QUOTED ? name : name.substring(0, QUOTED) + "...";
        return begin.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
