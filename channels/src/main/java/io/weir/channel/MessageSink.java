package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.Message;

/** Who consumes the receiving half of a channel. Loop thread only. */
interface MessageSink {

    /** A message within the demand; belongs to the sink. */
    void message(Message message, int flags, int number);

    /** Whether it ever {@link #takesContent}. */
    default boolean isInPlace() {
        return false;
    }

    /** Whether the {@link #content} of a message without control data is enough for it now. */
    default boolean takesContent() {
        return false;
    }

    /** As {@link #message}, but only the body of this frame, which is lent. Only if {@link #takesContent}. */
    default void content(Frame frame) {
        throw new UnsupportedOperationException("content without a message");
    }

    /** A message comes for which nothing was asked: it is held, unless it is asked for now. */
    default void arrives() {}

    /** The half has ended in good order; nothing follows. */
    void ended();

    /** The half has ended with an error; nothing follows. */
    void failed(Throwable error);

    /** Whether it takes nothing more until the peer takes what it is sent on this channel. */
    default boolean isHeldUp() {
        return false;
    }
}
