package io.weir.memory;

/** What a node keeps memory for, on behalf of its peers; see {@code Node.memory()}. */
public enum MemoryUse {

    /** The connections themselves. */
    PEERS,

    /** Credit that peers have for the windows of their channels, and what has come for it and was not delivered. */
    WINDOWS,

    /**
     * Messages longer than their window, from the moment in which a peer may send one until it is delivered; and long
     * values while their codec reads them.
     */
    LONG_MESSAGES,

    /** Requests that a peer may send, and those that a handler is just answering. */
    REQUESTS,

    /** Answers that wait until the peer takes them. */
    ANSWERS,

    /** What sources have emitted and the peer or the link does not take yet. */
    OUTGOING,

    /** Messages in mailboxes. */
    MAILBOXES,

    /** What was sent and not confirmed, in case that it has to go again. */
    UNCONFIRMED
}
