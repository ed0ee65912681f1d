package io.weir.channel;

import io.weir.core.PeerId;
import java.time.Duration;

/**
 * What has gone between a node and one peer so far, and how it stands now: a snapshot of counters that the loop keeps.
 * What is counted only grows as long as the peer stays connected; the queues, the demand, the credit, the channels and
 * the round trips are those of now.
 *
 * @param peer who
 * @param path the name of the path that is used now
 * @param messagesSent messages handed to the path
 * @param messagesReceived messages handed to subscribers
 * @param bytesSent payload bytes of the messages sent
 * @param bytesReceived payload bytes of the messages received
 * @param framesSent frames of every kind
 * @param framesReceived frames of every kind
 * @param creditStalls how often a sender had to wait for the peer's credit, with a message that it had or with a source
 *     that it could not ask for one
 * @param creditStallTime how long they have waited, those that still do included; each sender by itself
 * @param moves how often the path was changed
 * @param wakeUps how often a signal of its own was needed to wake the peer's sleeping loop, which costs a system call:
 *     over shared memory. 0 for paths on which what is sent wakes by itself
 * @param rejectedFrames frames that came for this connection and were dropped, because they were made up, damaged, or
 *     of a time gone by: over p4sock. 0 for paths that do not know
 * @param queuedMessages messages that wait now, on either side of us: for credit, for room on the path, or for a
 *     subscriber
 * @param queuedBytes bytes of these
 * @param demand messages that our subscribers have asked for and not had yet; one that wants everything counts for
 *     {@code weir.window.items}
 * @param creditItems messages that we may still send, over all open channels
 * @param creditBytes bytes that these may have
 * @param channels open channels now
 * @param roundTrips how long the peer took to answer in about the last minute
 * @param allRoundTrips how long it took since it is connected
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
        Duration creditStallTime,
        long moves,
        long wakeUps,
        long rejectedFrames,
        long queuedMessages,
        long queuedBytes,
        long demand,
        long creditItems,
        long creditBytes,
        long channels,
        RoundTrips roundTrips,
        RoundTrips allRoundTrips) {}
