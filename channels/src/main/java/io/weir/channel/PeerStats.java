package io.weir.channel;

import io.weir.core.PeerId;

/**
 * What has gone between a node and one peer so far: a snapshot of counters that the loop keeps. All but the last two only grow as
 * long as the peer stays connected.
 *
 * @param peer who
 * @param path the name of the path that is used now
 * @param messagesSent messages handed to the path
 * @param messagesReceived messages handed to subscribers
 * @param bytesSent payload bytes of the messages sent
 * @param bytesReceived payload bytes of the messages received
 * @param framesSent frames of every kind
 * @param framesReceived frames of every kind
 * @param creditStalls how often a sender had something to send and no credit for it
 * @param moves how often the path was changed
 * @param queuedBytes bytes that wait now, on either side of us: for room on the path, or for a subscriber
 * @param channels open channels now
 */
public record PeerStats(
        PeerId peer,
        String path,
        long messagesSent,
        long messagesReceived,
        long bytesSent,
        long bytesReceived,
        long framesSent,
        long framesReceived,
        long creditStalls,
        long moves,
        long queuedBytes,
        long channels) {}
