package io.weir.core;

import org.jspecify.annotations.Nullable;

/** A message is longer than what one side accepts; longer content is sent as a stream of messages. */
public final class MessageTooLarge extends WeirException.Permanent {

    private static final long serialVersionUID = 1L;

    public MessageTooLarge(String message) {
        this(message, null);
    }

    public MessageTooLarge(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
