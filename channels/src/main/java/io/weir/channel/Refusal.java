package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.WeirException;
import io.weir.path.Admission;
import io.weir.path.Errors;
import io.weir.path.Flags;
import io.weir.path.HandshakeCodec;

/** Ignores everything of a connection that is closed at once. */
enum Refusal implements LinkHandler {
    HANDLER;

    /**
     * Sends the other side the reason, and closes the connection; if many are closing, whether or not the other side
     * has read that.
     */
    static void of(Link link, String reason) {
        of(link, Flags.ENDED, reason);
    }

    /** The same, with this as the reason. */
    static void of(Link link, WeirException reason) {
        of(link, Admission.flags(reason), Errors.text(reason));
    }

    private static void of(Link link, int flags, String reason) {
        link.handler(HANDLER);
        Admission.send(link, new Frame().set(FrameKind.REFUSE, flags, 0, 0, HandshakeCodec.text(reason)));
        link.dismiss();
    }

    /** Closes the connection, as if nobody was there. */
    static void withoutAWord(Link link) {
        link.handler(HANDLER);
        link.dismiss();
    }

    @Override
    public void frame(Frame frame) {
        frame.body().release();
    }

    @Override
    public void writable() {
        // Nothing more is sent.
    }

    @Override
    public void lost(WeirException reason) {
        // It was not wanted.
    }
}
