package io.weir.core;

/** Who receives what a {@link Link} delivers. All calls come on the link's loop, never from within {@link Link#offer}. */
public interface LinkHandler {

    /**
     * One frame. The holder is valid during the call only; its body, if any, belongs to the handler now and must be
     * released once. An exception thrown here ends the link with {@link #lost}.
     */
    void frame(Frame frame);

    /** After an {@link Link#offer} that said no: there is room again. */
    void writable();

    /**
     * The link is broken or the peer is gone; called once, after every frame that had arrived. The link has freed what it
     * had; nothing more is called.
     *
     * @param reason what happened, in words
     */
    void lost(WeirException reason);
}
