package io.weir.channel;

import io.weir.core.RareLog;
import io.weir.path.Logs;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * What is logged of connections that come, and of sessions that begin, move and end: enough for a large cluster that
 * starts, and not what a peer may do again and again to fill the disk.
 */
final class SessionLog {

    /** For one node. */
    static RareLog make() {
        return make(Logs.NODE);
    }

    /** The same, written to this log. */
    static RareLog make(Logger log) {
        return new RareLog(log, System::nanoTime, 200, Duration.ofSeconds(1));
    }

    private SessionLog() {}
}
