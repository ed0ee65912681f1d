package io.weir.path;

import io.weir.core.Loop;
import java.security.SecureRandom;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How long a session waits before it tries a better path, or to leave its own once more: twice as long each time that
 * was in vain, up to a minute. A session that has lived for a minute without a loss begins anew with the shortest one,
 * which is also the pause between two wishes of the peer. The shortest one is {@code weir.repath.probation}; its
 * default is {@link io.weir.config.NodeDefaults#REPATH_PROBATION}. Loop thread only.
 */
final class Probation {

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Duration shortest;
    /** Somebody who has asked for more than a minute gets that. */
    private final Duration longest;

    private Duration present;
    private Disposable end = Disposables.disposed();

    Probation(Duration shortest) {
        this.shortest = shortest;
        this.longest = shortest.compareTo(LONGEST) > 0 ? shortest : LONGEST;
        this.present = shortest;
    }

    Duration shortest() {
        return shortest;
    }

    /** Four to six fifths of it, so that not all sessions of a node try at once. */
    Duration jittered() {
        double jitter = 0.8 + RANDOM.nextDouble() * 0.4;
        return Duration.ofNanos((long) (present.toNanos() * jitter));
    }

    /** It was in vain. */
    void prolong() {
        Duration twice = present.multipliedBy(2);
        present = twice.compareTo(longest) > 0 ? longest : twice;
    }

    /** The session lives: it may have proved itself if nothing happens to it from now on. */
    void mayEnd(Loop loop) {
        if (end.isDisposed() && present.compareTo(shortest) > 0) {
            end = loop.schedule(this::proved, LONGEST);
        }
    }

    /** Something has happened to the session, or it has ended: {@link #mayEnd} begins anew. */
    void provesNothing() {
        end.dispose();
    }

    private void proved() {
        end.dispose();
        present = shortest;
    }
}
