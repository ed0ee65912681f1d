package io.weir.channel;

import io.weir.core.Message;

/** What a message counts against a window, and what it takes of the account of memory beside a fixed part. */
final class MessageCost {

    private MessageCost() {}

    /** Bytes of its content and of its control data. */
    static long of(Message message) {
        return message.size() + (long) message.control().encoded().length;
    }
}
