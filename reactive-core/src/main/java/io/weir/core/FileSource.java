package io.weir.core;

import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A file that is open for reading, and whose pieces are payloads. Any thread. It is closed when this is and the last
 * piece was released.
 *
 * <p>The file is not read when a piece is made but when it is sent: what is written into it in between is what the
 * receiver gets.
 */
public final class FileSource implements AutoCloseable {

    /** No system has smaller ones. */
    private static final int PAGE = 4096;

    private final FileChannel file;
    private final Open open;

    private FileSource(FileChannel file) {
        this.file = file;
        this.open = new Open(file);
    }

    /**
     * Opens a file.
     *
     * @param options beside {@link StandardOpenOption#READ}, for instance
     *     {@link java.nio.file.LinkOption#NOFOLLOW_LINKS}
     */
    public static FileSource open(Path file, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(StandardOpenOption.READ);
        return new FileSource(FileChannel.open(file, all));
    }

    /** Bytes that it has now. */
    public long size() throws IOException {
        return file.size();
    }

    /**
     * So many bytes from there on, which are not copied into the memory of this process if the path can take them from
     * the kernel. One byte of each page is read now, so that no loop has to wait for the disk later: this may block.
     *
     * @throws IOException if there are not so many bytes
     */
    public FilePiece piece(long position, int length) throws IOException {
        if (position < 0 || length < 0 || position > file.size() - length) {
            throw new IOException(
                    length + " bytes from " + position + " on can't be had of a file of " + file.size() + " bytes");
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        for (long at = position; at < position + length; at = (at / PAGE + 1) * PAGE) {
            var unused = file.read(one.clear(), at);
        }
        return new FilePiece(file, open, position, length);
    }

    @Override
    public void close() {
        open.once();
    }

    /** Counts who needs the file: this and its pieces. */
    static final class Open extends AbstractReferenceCounted {

        private final FileChannel file;
        private boolean closed;

        Open(FileChannel file) {
            this.file = file;
        }

        private synchronized void once() {
            if (!closed) {
                closed = true;
                release();
            }
        }

        @Override
        protected void deallocate() {
            try {
                file.close();
            } catch (IOException e) {
                // Nothing was written: nothing is lost.
            }
        }

        @Override
        public ReferenceCounted touch(Object hint) {
            return this;
        }
    }
}
