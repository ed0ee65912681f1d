package io.weir.transport.elan;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * This process's memory, looked at through the kernel, which says so where there is none: reading from there oneself
 * would end the process.
 */
final class OwnMemory implements AutoCloseable {

    private static final int LONGEST_TEXT = 64;

    private final FileChannel memory;

    private OwnMemory(FileChannel memory) {
        this.memory = memory;
    }

    static OwnMemory open() throws IOException {
        return new OwnMemory(FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ));
    }

    /** What stands there, as far as it can be read: maybe nothing. */
    ByteBuffer read(long address, int bytes) {
        ByteBuffer found = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        try {
            int end = address > 0 ? 0 : -1;
            while (end >= 0 && found.hasRemaining()) {
                end = memory.read(found, address + found.position());
            }
        } catch (IOException e) {
            // No memory is there, or not so much.
        }
        return found.flip();
    }

    /** A C string that people can read, of at least one character and not too long; null if there is none. */
    @Nullable
    String text(long address) {
        ByteBuffer found = read(address, LONGEST_TEXT);
        int length = 0;
        while (length < found.limit() && found.get(length) >= ' ' && found.get(length) <= '~') {
            length++;
        }
        boolean ends = length > 0 && length < found.limit() && (found.get(length) == 0 || found.get(length) == '\n');
        if (!ends) {
            return null;
        }
        byte[] characters = new byte[length];
        found.get(0, characters);
        return new String(characters, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        memory.close();
    }
}
