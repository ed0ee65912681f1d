package io.weir.channel;

/**
 * How it stands with one channel, to look at.
 *
 * @param number its number in this connection, as it appears in errors; numbers are not used again
 * @param port to which it was opened; all requests to a port share one channel
 * @param openedHere whether this node has opened it, and not the peer
 * @param demand messages that our subscriber has asked for and not had yet; {@link Long#MAX_VALUE} if it wants
 *     everything, 0 if nobody has subscribed or nothing more is to come
 * @param creditItems messages that we may still send
 * @param creditBytes bytes that these may have
 * @param queuedMessagesOut messages that wait here for credit or for room on the path
 * @param queuedBytesOut bytes of these
 * @param queuedMessagesIn messages that have come and wait for our subscriber
 * @param queuedBytesIn bytes of these
 * @param sending whether our half is open: more may be sent
 * @param receiving whether the peer's half is open: more may come
 */
public record ChannelStats(
        long number,
        String port,
        boolean openedHere,
        long demand,
        long creditItems,
        long creditBytes,
        int queuedMessagesOut,
        long queuedBytesOut,
        int queuedMessagesIn,
        long queuedBytesIn,
        boolean sending,
        boolean receiving) {}
