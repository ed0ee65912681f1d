package io.weir.transport.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what user code and links throw on a loop, so that the loop itself goes on. Loop thread only. */
final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    /** What fails in every turn fails a million times a second; one line in this time is enough. */
    private static final long QUIET_NANOS = 1_000_000_000L;

    private final String loop;
    private long loggedAt = System.nanoTime() - QUIET_NANOS;
    private long notLogged;
    private long count;

    Failures(String loop) {
        this.loop = loop;
    }

    void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            count++;
            endOn(e);
            log("A task failed on loop {}", e);
        }
    }

    /** How many tasks have failed. */
    long count() {
        return count;
    }

    /**
     * For what is called again and again.
     *
     * @param whom what was called, named in the log
     */
    void repeated(String what, Object whom, Throwable failure) {
        endOn(failure);
        long now = System.nanoTime();
        if (now - loggedAt < QUIET_NANOS) {
            notLogged++;
            return;
        }
        loggedAt = now;
        try {
            LOG.error(
                    "{} {} failed on loop {} (and {} times since this was last logged)",
                    what,
                    whom,
                    loop,
                    notLogged,
                    failure);
        } catch (Throwable e) {
            // Without memory or stack the log can't be written; the loop matters more.
        }
        notLogged = 0;
    }

    /**
     * Throws the error on if the JVM's heap is full: what came in this turn, and what was due, is half dealt with then,
     * and somebody may wait for the rest for ever. Who finds no direct memory has only that to complain of.
     */
    static void endOnFullHeap(Throwable failure) {
        if (isFullHeap(failure)) {
            throw (OutOfMemoryError) failure;
        }
    }

    static boolean isFullHeap(Throwable failure) {
        String text = failure instanceof OutOfMemoryError full ? full.getMessage() : null;
        return text != null && (text.contains("heap space") || text.contains("GC overhead"));
    }

    /** Nothing goes on behind an error of the JVM that it can't explain itself. */
    private static void endOn(Throwable failure) {
        if (failure instanceof UnknownError fatal) {
            throw fatal;
        }
    }

    private void log(String text, Throwable failure) {
        try {
            LOG.error(text, loop, failure);
        } catch (Throwable e) {
            // Without memory or stack the log can't be written either; the loop matters more.
        }
    }
}
