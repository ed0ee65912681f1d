package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;

/**
 * An open, ordered, reliable path of frames to one peer. It knows nothing of channels, credits or sessions: frames go
 * in on one side and come out whole, in order and once on the other.
 *
 * <p><b>Threads.</b> Everything but {@link #transport()}, {@link #protection()}, {@link #ends()}, {@link #caveat()},
 * {@link #maxFrame()}, {@link #allocator()}, {@link #wakeUps()} and {@link #rejectedFrames()} belongs to the
 * {@link Loop} that the link was made for, and is called on its thread only.
 *
 * <p><b>Receiving</b> goes on whether or not sending is stuck, so that two full links can't wait for each other.
 */
public interface Link {

    /** The path's name, as in {@link Transport#name()}. */
    String transport();

    /** What it keeps from others. Does not change while the link is open. */
    default Protection protection() {
        return Protection.NONE;
    }

    /** Its two ends as the kernel knows them. Does not change while the link is open. */
    default Ends ends() {
        return Ends.UNKNOWN;
    }

    /**
     * What an operator should know of this link, or could do for it, as a sentence without its end: for instance that
     * it would be faster with another setting. Empty, as it is by default, if there is nothing. Does not change while
     * the link is open; may be called by any thread.
     */
    default String caveat() {
        return "";
    }

    /**
     * Control and body bytes that one frame may have, unless its body {@link #takesInPlace lies in place}; at least 32
     * KiB.
     */
    int maxFrame();

    /** Whether this body lies in memory that the link's wire takes as it is, without a copy and whatever its length. */
    default boolean takesInPlace(ByteBuf body) {
        return false;
    }

    /** Whether a {@link Frame#region} is accepted. */
    default boolean takesRegions() {
        return false;
    }

    /**
     * Memory for payloads that suits this wire best, long and short ones. When its own memory is exhausted, it gives
     * ordinary memory instead; such payloads are copied or cut. May be used by any thread, also after the link has
     * closed.
     */
    ByteBufAllocator allocator();

    /**
     * Takes one frame. It is on its way at the latest when the current turn of the loop ends; no flush is needed.
     *
     * @return true: the frame is taken and its body or region belongs to the link, which releases it once; a body that
     *     others hold references to as well keeps its indices, so that it can be sent more than once. False: there
     *     is no room now; nothing was changed or taken, and {@link LinkHandler#writable()} will be called. Never true
     *     after the link was lost or closed: then the frame is not taken and no call follows.
     * @throws IllegalArgumentException if the frame is longer than {@link #maxFrame()} or has what this link can't
     *     take; nothing is taken then
     */
    boolean offer(Frame frame);

    /**
     * From now on keeps what is offered until the other side's handler has it, so that {@link #handBack} can give it
     * back. Bodies are kept by reference: they are released later than otherwise, when the other side says that it has
     * them or when the link ends. When about so many bytes are kept, {@link #offer} says no, and
     * {@link LinkHandler#writable()} follows when there is room again. Called at most once, before the first frame that
     * may have to come back: what was offered before does not.
     *
     * <p>Notices that a frame has arrived come in as frames do: not before there is a handler.
     *
     * <p>Does nothing in a link that has ended, in one that can give back without this, and in one that never can.
     *
     * @param bytes the bound; a link takes a higher one if it would stand still at this one again and again
     * @throws IllegalStateException if it keeps already
     */
    default void retain(long bytes) {}

    /**
     * Gives back what was offered and has perhaps not reached the other side's handler: whole frames in the order they
     * were offered, without a gap up to the last one. The first ones may have reached it nevertheless, and their bodies
     * be gone; who asks knows how many have. Called at most once, from within {@link LinkHandler#lost} or just before
     * {@link #close()}; nothing is offered afterwards. The other side may still deliver what was given back, until it
     * ends the link as well. Some links can do this only if {@link #retain} was called before. Of regions, only
     * a {@link FilePiece} comes back, as a body in memory.
     *
     * @param to gets each frame; the holder is valid during the call only, the body belongs to it and must be released
     *     once
     * @return false if this link does not know: then what was on its way is lost with it, also what was given back
     *     until then
     */
    default boolean handBack(Consumer<Frame> to) {
        return false;
    }

    /**
     * How often the other side's sleeping loop had to be woken by a signal beside what was sent. 0 for links whose
     * frames wake by themselves. Any thread may ask, and may get a value that is a little old.
     */
    default long wakeUps() {
        return 0;
    }

    /**
     * How many frames have come for this link so far and were dropped, because they were made up, damaged on their way,
     * or those of a time gone by; 0 on paths that do not know. May be called by any thread.
     */
    default long rejectedFrames() {
        return 0;
    }

    /** Whether it has copied a frame's body when {@link #offer} returns, so that the body may be only lent. */
    default boolean takesLent() {
        return false;
    }

    /**
     * Begins to deliver to this handler, or goes on with another one. Frames that came before the first call wait for
     * it.
     */
    void handler(LinkHandler handler);

    /**
     * Ends the link in good order: what was offered is still delivered to a peer that goes on reading, nothing more is
     * received, {@link LinkHandler#lost} is not called. Idempotent. Frees everything native as soon as nobody holds it.
     */
    void close();

    /**
     * As {@link #close}, for somebody who is not wanted: if many of the loop's links are ending already, nothing is
     * awaited, and the other side may not get what was offered.
     */
    default void dismiss() {
        close();
    }
}
