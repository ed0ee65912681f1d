package io.weir.tck;

import io.weir.core.Frame;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Sends every frame back from within the handler; holds what the link does not take until it is writable. Loop only.
 */
final class Echo {

    private final End end;
    private final Deque<Frame> held = new ArrayDeque<>();
    private volatile int mostHeld;

    Echo(End end) {
        this.end = end;
        end.whenWritable(this::offerHeld);
    }

    /** How many answers had to wait at once. */
    int mostHeld() {
        return mostHeld;
    }

    void answer(Frame frame) {
        held.add(new Frame()
                .set(frame.kind(), frame.flags(), frame.channel(), frame.aux())
                .words(frame.first(), frame.second())
                .control(frame.control())
                .body(frame.body().retain()));
        if (held.size() == 1) {
            offerHeld();
        }
        mostHeld = Math.max(mostHeld, held.size());
    }

    private void offerHeld() {
        while (!held.isEmpty() && end.offer(held.element())) {
            held.remove().clear();
        }
    }
}
