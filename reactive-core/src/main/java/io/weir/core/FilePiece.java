package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultFileRegion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a {@link FileSource}, as the payload of a message that is sent. Counted as buffers are. It is a region of
 * Netty because that is what its sockets take without a copy.
 */
public final class FilePiece extends DefaultFileRegion {

    private final FileChannel file;
    private final FileSource.Open open;

    FilePiece(FileChannel file, FileSource.Open open, long position, int length) {
        super(file, position, length);
        this.file = file;
        this.open = open;
        open.retain();
    }

    /** In bytes. */
    public int length() {
        return (int) count();
    }

    /** A part of it, which has a reference of its own. */
    public FilePiece slice(int offset, int length) {
        if (offset < 0 || length < 0 || offset > length() - length) {
            throw new IndexOutOfBoundsException(length + " bytes from " + offset + " on, of " + length());
        }
        return new FilePiece(file, open, position() + offset, length);
    }

    /**
     * Reads all of it into memory of this allocator, whatever was sent of it already. May block. Releases nothing.
     *
     * @throws IOException if the file can't be read, or has become shorter
     */
    public ByteBuf read(ByteBufAllocator allocator) throws IOException {
        ByteBuf bytes = allocator.buffer(length(), length());
        try {
            while (bytes.isWritable()) {
                if (bytes.writeBytes(file, position() + bytes.writerIndex(), bytes.writableBytes()) < 0) {
                    throw new IOException("a file has become shorter while it was sent: it has " + file.size()
                            + " bytes, and some up to " + (position() + length()) + " were to be sent");
                }
            }
            return bytes;
        } catch (IOException | RuntimeException e) {
            bytes.release();
            throw e;
        }
    }

    /** The file may be needed by others. */
    @Override
    protected void deallocate() {
        open.release();
    }

    @Override
    public FilePiece retain() {
        super.retain();
        return this;
    }

    @Override
    public FilePiece retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public FilePiece touch() {
        return this;
    }

    @Override
    public FilePiece touch(@Nullable Object hint) {
        return this;
    }
}
