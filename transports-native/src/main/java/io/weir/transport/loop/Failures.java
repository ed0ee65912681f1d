package io.weir.transport.loop;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what user code and links throw on a loop, so that the loop itself goes on; unless the JVM's heap was full, for
 * then the loop has to end. By whoever has the loop only, until it has ended.
 */
final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    /** What fails in every turn fails a million times a second; one line in this time is enough. */
    private static final long QUIET_NANOS = 1_000_000_000L;

    private static final int MOST_CAUSES = 8;

    private final String loop;
    private long loggedAt = System.nanoTime() - QUIET_NANOS;
    private long notLogged;
    private long count;
    private @Nullable Error fullHeap;

    Failures(String loop) {
        this.loop = loop;
    }

    void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            count++;
            endOn(e);
            caught(e);
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
        caught(failure);
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
     * Remembers the failure if the JVM's heap was full: what came in this turn, and what was due, is half dealt with
     * then, and somebody may wait for the rest for ever. Who finds no direct memory has only that to complain of.
     */
    void caught(Throwable failure) {
        if (fullHeap == null && failure instanceof Error error && isFullHeap(error)) {
            fullHeap = error;
        }
    }

    /** Whether the heap was full, and the loop has to end. */
    boolean heapWasFull() {
        return fullHeap != null;
    }

    /** Throws on what was {@link #caught}, if anything was. */
    void endOnFullHeap() {
        if (fullHeap != null) {
            throw fullHeap;
        }
    }

    /** Asks nothing of exceptions of others, which may fail at that. */
    private static boolean isFullHeap(Error failure) {
        if (failure instanceof OutOfMemoryError) {
            return speaksOfHeap(failure);
        }
        // A class that was needed first when the heap was full is unusable for good.
        Throwable link = failure;
        for (int depth = 0; depth < MOST_CAUSES && link instanceof LinkageError; depth++) {
            link = link.getCause();
            if (link instanceof OutOfMemoryError || link instanceof ExceptionInInitializerError) {
                return speaksOfHeap(link);
            }
        }
        return false;
    }

    /** Of what an initializer has thrown, the JVM keeps no more than a text, which begins with the name. */
    private static boolean speaksOfHeap(Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        return (failure instanceof OutOfMemoryError || text.contains(OutOfMemoryError.class.getName()))
                && (text.contains("heap space") || text.contains("GC overhead"));
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
