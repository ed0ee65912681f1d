package io.weir.path;

import static reactor.core.publisher.Sinks.EmitFailureHandler.FAIL_FAST;

import io.weir.peer.PathDecision;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** The decisions about the path of one session. Written on its loop, read by any thread. */
public final class PathHistory {

    /** Decisions that are remembered. */
    public static final int LENGTH = 16;

    private final Sinks.Many<PathDecision> decisions = Sinks.many().replay().limit(LENGTH);
    private volatile List<PathDecision> last;
    /** Read by others without ordering. */
    private long moves;

    /** Begins with the one that the session begins with. */
    public PathHistory(PathDecision first) {
        last = List.of(first);
        decisions.emitNext(first, FAIL_FAST);
    }

    /** The session goes over another path now. Behind the {@link #end} that is only remembered. */
    void moved(PathDecision decision) {
        moves++;
        List<PathDecision> all = new ArrayList<>(last);
        all.add(decision);
        last = List.copyOf(all.subList(Math.max(0, all.size() - LENGTH), all.size()));
        decisions.emitNext(decision, FAIL_FAST);
    }

    /** Nothing is decided any more. On the loop, or when it has ended; once more does nothing. */
    public void end() {
        decisions.emitComplete(FAIL_FAST);
    }

    public PathDecision present() {
        List<PathDecision> all = last;
        return all.get(all.size() - 1);
    }

    /** The last ones, the present one at the end. */
    public List<PathDecision> all() {
        return last;
    }

    /** How often the session has gone over another path. */
    public long moves() {
        return moves;
    }

    /** Those that are remembered and those that follow, until the session ends. */
    public Flux<PathDecision> decisions() {
        return decisions.asFlux();
    }
}
