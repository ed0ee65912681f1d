package io.weir.samples.demo;

import io.weir.samples.process.ProgramFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The file that is streamed.
 *
 * @param size in bytes
 * @param digest its SHA-256 in hexadecimal digits, computed here
 */
record Subject(Path file, long size, String digest) {

    /** What every JDK has, and is over 100 MB long. */
    static Path ofTheJdk() {
        return Path.of(System.getProperty("java.home"), "lib", "modules");
    }

    /**
     * Reads the file once.
     *
     * @throws ProgramFailed if there is nothing in it that can be read
     */
    static Subject of(Path file) {
        if (!Files.exists(file)) {
            throw new ProgramFailed("There is no file " + file + '.');
        }
        if (!Files.isRegularFile(file)) {
            throw new ProgramFailed(file + " is no regular file.");
        }
        try (FileChannel channel = FileChannel.open(file)) {
            MessageDigest digest = SlowDigest.sha256();
            ByteBuffer piece = ByteBuffer.allocateDirect(FilePieces.PIECE);
            long size = 0;
            for (int read; (read = channel.read(piece.clear())) >= 0; size += read) {
                digest.update(piece.flip());
            }
            if (size == 0) {
                throw new ProgramFailed(file + " is empty; there would be nothing to see.");
            }
            return new Subject(file, size, HexFormat.of().formatHex(digest.digest()));
        } catch (IOException e) {
            throw new ProgramFailed(file + " can't be read: " + e, e);
        }
    }
}
