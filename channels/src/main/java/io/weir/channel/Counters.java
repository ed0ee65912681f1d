package io.weir.channel;

/** Plain counters of a session. Written by the loop; other threads read values that may be a little old. */
final class Counters {
    long messagesSent;
    long messagesReceived;
    long bytesSent;
    long bytesReceived;
    long framesSent;
    long framesReceived;
    long creditStalls;
    long moves;
    long queuedBytes;
    long channels;
}
