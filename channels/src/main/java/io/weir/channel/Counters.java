package io.weir.channel;

/** Plain counters of a session. Written by the loop; other threads read values that may be a little old. */
final class Counters {
    long messagesSent;
    long messagesReceived;
    long bytesSent;
    long bytesReceived;
    long creditStalls;
    long queuedMessages;
    long queuedBytes;
    long demand;
    /** Granted so far and not void; {@link #messagesSent} and {@link #bytesSent} have used some of it. */
    long creditItems;

    long creditBytes;
    long channels;
    final StallClock stalled = new StallClock();
    final RoundTripTimes roundTrips = new RoundTripTimes();
}
