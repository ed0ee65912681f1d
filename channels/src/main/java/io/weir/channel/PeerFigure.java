package io.weir.channel;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/** A number of {@link PeerStats} that can be added up over peers. */
enum PeerFigure {
    MESSAGES_SENT(true, PeerStats::messagesSent),
    MESSAGES_RECEIVED(true, PeerStats::messagesReceived),
    BYTES_SENT(true, PeerStats::bytesSent),
    BYTES_RECEIVED(true, PeerStats::bytesReceived),
    FRAMES_SENT(true, PeerStats::framesSent),
    FRAMES_RECEIVED(true, PeerStats::framesReceived),
    CREDIT_STALLS(true, PeerStats::creditStalls),
    CREDIT_STALL_NANOS(true, stats -> stats.creditStallTime().toNanos()),
    MOVES(true, PeerStats::moves),
    WAKE_UPS(true, PeerStats::wakeUps),
    REJECTED_FRAMES(true, PeerStats::rejectedFrames),
    QUEUED_MESSAGES(false, PeerStats::queuedMessages),
    QUEUED_BYTES(false, PeerStats::queuedBytes),
    DEMAND(false, PeerStats::demand),
    CREDIT_ITEMS(false, PeerStats::creditItems),
    CREDIT_BYTES(false, PeerStats::creditBytes),
    CHANNELS(false, PeerStats::channels);

    private static final PeerFigure[] ALL = values();

    /** Whether it is counted, and so never falls; otherwise it is only so now. */
    final boolean counted;

    @SuppressWarnings("ImmutableEnumChecker") // Methods of a record.
    private final ToLongFunction<PeerStats> value;

    PeerFigure(boolean counted, ToLongFunction<PeerStats> value) {
        this.counted = counted;
        this.value = value;
    }

    static Map<PeerFigure, Long> of(PeerStats stats) {
        Map<PeerFigure, Long> figures = new EnumMap<>(PeerFigure.class);
        for (PeerFigure each : ALL) {
            figures.put(each, each.value.applyAsLong(stats));
        }
        return figures;
    }

    static void add(Map<PeerFigure, Long> sum, Map<PeerFigure, Long> more) {
        more.forEach((figure, value) -> sum.merge(figure, value, Long::sum));
    }

    /** What was counted since; what is only so now stays as it is. All of it, if a counter fell: then it began anew. */
    static Map<PeerFigure, Long> since(Map<PeerFigure, Long> before, Map<PeerFigure, Long> now) {
        Map<PeerFigure, Long> more = new EnumMap<>(now);
        for (PeerFigure each : ALL) {
            if (each.counted) {
                long grown = now.getOrDefault(each, 0L) - before.getOrDefault(each, 0L);
                if (grown < 0) {
                    return now;
                }
                more.put(each, grown);
            }
        }
        return more;
    }

    static void forgetWhatIsNow(Map<PeerFigure, Long> sum) {
        sum.keySet().removeIf(figure -> !figure.counted);
    }
}
