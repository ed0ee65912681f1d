package io.weir.transport.loop;

import io.weir.core.Frame;
import io.weir.core.LinkHandler;
import io.weir.core.WeirException;

/** The handler of a link that has none: before the first one comes, and after the end. */
public final class Nobody implements LinkHandler {

    /** It has no state. */
    public static final LinkHandler INSTANCE = new Nobody();

    private Nobody() {}

    @Override
    public void frame(Frame frame) {
        frame.release();
    }

    @Override
    public void writable() {}

    @Override
    public void lost(WeirException reason) {}
}
