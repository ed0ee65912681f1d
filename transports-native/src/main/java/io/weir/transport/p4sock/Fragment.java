package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What goes out in one frame: its headers, its payload and its seal, ready to be sent again until it has arrived. Most
 * of the payload is written here; one piece of it may lie elsewhere and is sent from there. Used again and again.
 * Belongs to the loop's thread.
 *
 * <p>In the memory stand the headers of Ethernet and of data, what was written, and room for the seal.
 */
final class Fragment {

    /** Where the header of data begins. */
    static final int HEADER = FrameFormat.ETHER;

    /** Where what is written begins. */
    static final int PAYLOAD = HEADER + FrameFormat.DATA;

    final ByteBuffer memory;
    final long address;
    private final ByteBuf bytes;
    /** As the memory; its position is moved about. */
    private final ByteBuffer summed;

    /** What lies elsewhere, and belongs to this; it stands behind so many written bytes. */
    private @Nullable ByteBuf piece;

    private @Nullable ByteBuffer pieceBytes;
    private long pieceAddress;
    private int pieceAt;
    private int pieceLength;

    private int checksum;
    private int sealBytes;
    private boolean last;

    /** Bytes of the stream before this fragment, and before the frame that its first byte belongs to. */
    long begin;

    long frameBegin;

    /** When it was sent last, and after how many others. */
    long sentAt;

    long turn;
    int times;
    /** The other side has it, though not all before it. */
    boolean arrived;
    /** It is taken for lost, and has to be sent again. */
    boolean lost;

    /** It was taken for lost last because others, which were sent later, have arrived. */
    boolean overtaken;

    /** With memory for so many bytes of payload. */
    Fragment(int payload) {
        memory = Structures.allocate(PAYLOAD + payload + Seal.BYTES);
        address = Structures.address(memory);
        bytes = Unpooled.wrappedBuffer(memory);
        summed = memory.duplicate();
    }

    /** Begins anew. */
    void begin(long streamPosition, long frameBegins) {
        bytes.setIndex(PAYLOAD, PAYLOAD);
        checksum = 0;
        last = false;
        begin = streamPosition;
        frameBegin = frameBegins;
        times = 0;
        arrived = false;
        lost = false;
        overtaken = false;
    }

    /** Where to write. */
    ByteBuf bytes() {
        return bytes;
    }

    /** Bytes of its payload so far. */
    int length() {
        return written() + pieceLength;
    }

    int written() {
        return bytes.writerIndex() - PAYLOAD;
    }

    boolean hasPiece() {
        return piece != null;
    }

    /** These bytes of a buffer outside of the heap follow what is written; a reference more is held. */
    void piece(ByteBuf buffer, int from, int length) {
        ByteBuffer view = buffer.nioBuffer(from, length);
        piece = buffer.retain();
        pieceBytes = view;
        pieceAddress = Structures.address(view) + view.position();
        pieceAt = written();
        pieceLength = length;
    }

    ByteBuffer pieceBytes() {
        ByteBuffer view = pieceBytes;
        if (view == null) {
            throw new IllegalStateException("all of it is written");
        }
        return view;
    }

    long pieceAddress() {
        return pieceAddress;
    }

    /** How many written bytes come before the piece. */
    int pieceAt() {
        return pieceAt;
    }

    int pieceLength() {
        return pieceLength;
    }

    /** Nothing more is written. Computes the checksum if there is to be a seal. */
    void finish(boolean endsMessage, @Nullable CRC32C sum) {
        last = endsMessage;
        if (sum == null) {
            sealBytes = 0;
            return;
        }
        sealBytes = Seal.BYTES;
        sum.reset();
        int before = piece == null ? written() : pieceAt;
        sum.update(summed.limit(PAYLOAD + before).position(PAYLOAD));
        if (piece != null) {
            sum.update(pieceBytes().duplicate());
            sum.update(summed.limit(bytes.writerIndex()).position(PAYLOAD + pieceAt));
        }
        checksum = (int) sum.getValue();
    }

    /** Bytes that follow the payload. */
    int sealBytes() {
        return sealBytes;
    }

    boolean isLast() {
        return last;
    }

    int checksum() {
        return checksum;
    }

    /** Gives its payload from here on to this, in pieces that are valid during the call. */
    void give(int skipped, Consumer<ByteBuf> to) {
        int from = skipped;
        int before = piece == null ? written() : pieceAt;
        if (from < before) {
            to.accept(bytes.slice(PAYLOAD + from, before - from));
        }
        ByteBuffer view = pieceBytes;
        if (view == null) {
            return;
        }
        from = Math.max(0, from - before);
        if (from < pieceLength) {
            to.accept(Unpooled.wrappedBuffer(view.slice(view.position() + from, pieceLength - from)));
        }
        from = Math.max(0, from - pieceLength);
        if (pieceAt + from < written()) {
            to.accept(bytes.slice(PAYLOAD + pieceAt + from, written() - pieceAt - from));
        }
    }

    /** Lets go of what lies elsewhere. */
    void release() {
        ByteBuf owned = piece;
        piece = null;
        pieceBytes = null;
        pieceLength = 0;
        if (owned != null) {
            owned.release();
        }
    }
}
