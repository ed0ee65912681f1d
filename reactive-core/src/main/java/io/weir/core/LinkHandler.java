package io.weir.core;

/**
 * Who receives what a {@link Link} delivers. All calls come on the link's loop, never from within {@link Link#offer}.
 */
public interface LinkHandler {

    /**
     * One frame. The holder is valid during the call only; its body, if any, belongs to the handler now and must be
     * released once. An exception thrown here ends the link with {@link #lost}.
     */
    void frame(Frame frame);

    /** After an {@link Link#offer} that said no: there is room again. */
    void writable();

    /**
     * The link is broken or the peer is gone; called once, after every frame that had arrived; nothing more is called.
     * The link frees what it had when this returns; until then it can be asked to {@link Link#handBack hand back} what
     * was under way.
     *
     * @param reason what happened, in words
     */
    void lost(WeirException reason);
}
