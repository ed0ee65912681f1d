package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One frame on its way into or out of a {@link Link}. A mutable holder that one loop thread fills again and again, so
 * that a frame costs no object; nobody may keep it beyond the call that it is passed to.
 *
 * <p>The flag bits {@code 0xf0} belong to links ({@link #LINK_FLAGS}), the others to the frame's sender.
 */
public final class Frame {

    /**
     * Flag bits that a link may use on its own wire; a sender must leave them clear, a link must clear them on arrival.
     */
    public static final int LINK_FLAGS = 0xf0;

    /** Shared by all that have none, so that it need not be stored again. */
    static final byte[] NO_CONTROL = {};

    private FrameKind kind = FrameKind.DATA;
    private int flags;
    private int channel;
    private int aux;
    private long first;
    private long second;
    private byte[] control = NO_CONTROL;
    private ByteBuf body = Unpooled.EMPTY_BUFFER;
    private @Nullable FileRegion region;

    /** The body is content that lies here, and is only lent. */
    private boolean isLent;

    private @Nullable ContentMemory content;
    private int contentLength;
    /** The receiver prefers bodies that are lent. */
    private boolean lendsNext;

    /** Starts a new frame: everything but these is empty or zero. */
    public Frame set(FrameKind kind, int flags, int channel, int aux) {
        return set(kind, flags, channel, aux, Unpooled.EMPTY_BUFFER);
    }

    /**
     * Starts a new frame with a body: everything but these is empty or zero. Who owns the body does not change.
     *
     * <p>A reference that is there already is not stored again, as a look costs less than what a garbage collector does
     * beside a store.
     */
    @SuppressWarnings("ReferenceEquality")
    public Frame set(FrameKind kind, int flags, int channel, int aux, ByteBuf body) {
        if (this.kind != kind) {
            this.kind = kind;
        }
        this.flags = flags;
        this.channel = channel;
        this.aux = aux;
        this.first = 0;
        this.second = 0;
        if (control != NO_CONTROL) {
            control = NO_CONTROL;
        }
        if (this.body != body) {
            this.body = body;
        }
        if (region != null) {
            region = null;
        }
        if (isLent) {
            isLent = false;
        }
        return this;
    }

    /**
     * The body is the beginning of this memory, and may be used for as long as the call lasts that the frame is passed
     * to. Who needs it for longer calls {@link #body()}, which copies it. Only a link that says
     * {@link Link#takesLent()} may be offered such a frame.
     */
    @SuppressWarnings("ReferenceEquality") // As in set.
    public Frame lend(ContentMemory memory, int length) {
        if (content != memory) {
            content = memory;
        }
        contentLength = length;
        isLent = true;
        return this;
    }

    /** Whether the body is only lent. */
    public boolean isLent() {
        return isLent;
    }

    /** The memory whose beginning is the body, where that is lent. */
    public ContentMemory content() {
        return Objects.requireNonNull(content);
    }

    /** The value that is the body, where that is lent. */
    public <T> T read(InPlaceCodec<T> codec) {
        return content().read(codec, contentLength);
    }

    /** The receiver prefers bodies that are lent. */
    public void lendNext() {
        lendsNext = true;
    }

    /** Whether the receiver prefers bodies that are lent. */
    public boolean lendsNext() {
        return lendsNext;
    }

    private void copyContent() {
        body = content().copy(contentLength);
        isLent = false;
        lendsNext = false;
    }

    /** The words behind the header; kinds with fewer words ignore what is superfluous. */
    public Frame words(long first, long second) {
        this.first = first;
        this.second = second;
        return this;
    }

    /** Control data, at most {@link FrameLayout#MAX_CONTROL} bytes; not copied. */
    @SuppressWarnings("ReferenceEquality") // As in set.
    public Frame control(byte[] control) {
        if (this.control != control) {
            this.control = control;
        }
        return this;
    }

    /** The body: the readable bytes of this buffer. Setting it does not change who owns the buffer. */
    public Frame body(ByteBuf body) {
        this.body = body;
        isLent = false;
        return this;
    }

    /**
     * A piece of a file as the body instead of a buffer. Only a link that says {@link Link#takesRegions()} accepts it.
     */
    public Frame region(FileRegion region) {
        this.region = Objects.requireNonNull(region);
        return this;
    }

    public FrameKind kind() {
        return kind;
    }

    public int flags() {
        return flags;
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public int channel() {
        return channel;
    }

    public int aux() {
        return aux;
    }

    /** The first word behind the header; defined for kinds with at least one. */
    public long first() {
        return first;
    }

    /** The second word behind the header; defined for kinds with two. */
    public long second() {
        return second;
    }

    public byte[] control() {
        return control;
    }

    /** The body; a copy of it, which belongs to the caller from then on, if it was only lent. */
    public ByteBuf body() {
        if (isLent) {
            copyContent();
        }
        return body;
    }

    /** Releases the body, for a link that has copied it. What is only lent is not its own. */
    public void releaseBody() {
        if (!isLent) {
            body.release();
        }
    }

    public boolean hasRegion() {
        return region != null;
    }

    public @Nullable FileRegion region() {
        return region;
    }

    /** The body's length in bytes. */
    public int bodyLength() {
        FileRegion file = region;
        if (file != null) {
            return (int) (file.count() - file.transferred());
        }
        return isLent ? contentLength : body.readableBytes();
    }

    /** Control and body bytes together: what the header's length says. */
    public int length() {
        return control.length + bodyLength();
    }

    /** The first header word of this frame. */
    public long word0() {
        return FrameLayout.word0(kind.code(), flags, control.length, length());
    }

    /** The second header word of this frame. */
    public long word1() {
        return FrameLayout.word1(channel, aux);
    }

    /** Drops the references to the body, so that a reused frame keeps nothing alive; releases nothing. */
    public void clear() {
        control = NO_CONTROL;
        body = Unpooled.EMPTY_BUFFER;
        region = null;
        isLent = false;
    }

    /** Releases the body and the region, for an owner that will not pass them on. */
    public void release() {
        ByteBuf owned = body;
        FileRegion file = region;
        clear();
        owned.release();
        if (file != null) {
            file.release();
        }
    }

    @Override
    public String toString() {
        return kind + "[channel=" + Integer.toUnsignedString(channel) + ", flags=" + flags + ", aux="
                + Integer.toUnsignedString(aux) + ", control=" + control.length + " B, body=" + bodyLength() + " B]";
    }
}
