package io.weir.path;

import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.core.ForeignText;
import io.weir.core.PeerCard;
import io.weir.core.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says which paths to a peer are worth trying, in which order, and why the others are not: a pure function of what both
 * sides want and have.
 */
public final class PathSelector {

    /** The path that the bootstrap connection itself is, unless it leads through gateways. */
    public static final String BOOTSTRAP_PATH = "tcp";

    /** What is to be done with one path. */
    sealed interface Candidate {
        String path();
    }

    /** Both sides say that they are ready. */
    record Try(String path) implements Candidate {}

    /**
     * Not worth trying.
     *
     * @param reason why, as a sentence without its end; may hold what the peer says, made harmless
     */
    record Rejected(String path, String reason) implements Candidate {
        Rejected {
            path = ForeignText.brief(path);
            reason = ForeignText.brief(reason);
        }
    }

    /**
     * Every path, with what is to be done with it.
     *
     * @param candidates those of the order first, in that order, then those that the order leaves out
     * @param refusal why no connection may be made at all, whatever could be tried; else null
     */
    public record Selection(
            List<Candidate> candidates, @Nullable String refusal) {

        public Selection {
            candidates = List.copyOf(candidates);
        }

        /** The paths to try, best first; none if there is a refusal. */
        public List<String> tries() {
            return refusal != null
                    ? List.of()
                    : candidates.stream()
                            .filter(Try.class::isInstance)
                            .map(Candidate::path)
                            .toList();
        }

        /** The same with its tries in this order, before all that is not worth trying. */
        public Selection inOrder(List<String> tries) {
            List<Candidate> ordered = new ArrayList<>();
            tries.forEach(path -> ordered.add(new Try(path)));
            candidates.stream().filter(Rejected.class::isInstance).forEach(ordered::add);
            return new Selection(ordered, refusal);
        }

        /** Why this path is not worth trying. */
        String reasonAgainst(String path) {
            return candidates.stream()
                    .filter(candidate ->
                            candidate instanceof Rejected && candidate.path().equals(path))
                    .map(candidate -> ((Rejected) candidate).reason())
                    .findFirst()
                    .orElse("neither side knows it");
        }
    }

    private final PathPolicy mine;
    private final PeerCard self;
    private final PeerCard peer;
    private final String peerName;
    private final Map<String, PathSwitch> theirs;
    private final Function<String, @Nullable Transport> adapters;

    private PathSelector(
            PathPolicy mine,
            PeerCard self,
            PeerCard peer,
            Map<String, PathSwitch> theirs,
            Function<String, @Nullable Transport> adapters) {
        this.mine = mine;
        this.self = self;
        this.peer = peer;
        this.peerName = ForeignText.brief(peer.id().toString());
        this.theirs = theirs;
        this.adapters = adapters;
    }

    /**
     * Chooses for the connecting side, whose order rules. {@code off} on either side removes a path. The first path of
     * the order that either side requires must be worth trying, and nothing behind it is tried. Where the order is
     * measured, this holds for the order as it is written.
     *
     * @param mine the connecting side's policy for this peer
     * @param peerSwitches the accepting side's switches for us
     * @param adapters the adapter of a path on this side's class path, or null
     */
    public static Selection select(
            PathPolicy mine,
            PeerCard self,
            PeerCard peer,
            Map<String, PathSwitch> peerSwitches,
            Function<String, @Nullable Transport> adapters) {
        return new PathSelector(mine, self, peer, peerSwitches, adapters).select();
    }

    private Selection select() {
        Map<String, Candidate> candidates = new LinkedHashMap<>();
        String wall = null;
        for (String path : mine.paths()) {
            candidates.put(path, candidate(path, wall));
            if (wall == null && required(path)) {
                wall = path;
            }
        }
        for (String path : leftOut()) {
            candidates.put(path, new Rejected(path, "not in the order of paths here"));
        }
        return new Selection(List.copyOf(candidates.values()), refusal(candidates));
    }

    private boolean required(String path) {
        return mine.of(path) == PathSwitch.REQUIRED || theirs.get(path) == PathSwitch.REQUIRED;
    }

    /** What we could speak of, yet do not name in the order; and what the peer requires and we do not name. */
    private Set<String> leftOut() {
        Set<String> paths = new TreeSet<>(self.ready().keySet());
        paths.addAll(self.missing().keySet());
        theirs.forEach((path, set) -> {
            if (set == PathSwitch.REQUIRED) {
                paths.add(path);
            }
        });
        mine.paths().forEach(paths::remove);
        return paths;
    }

    private Candidate candidate(String path, @Nullable String wall) {
        String reason = rejection(path);
        if (reason == null && wall != null) {
            reason = "stands behind " + wall + ", which is required";
        }
        return reason == null ? new Try(path) : new Rejected(path, reason);
    }

    private @Nullable String rejection(String path) {
        if (mine.of(path) == PathSwitch.OFF) {
            return "switched off here";
        }
        if (theirs.get(path) == PathSwitch.OFF) {
            return "switched off at " + peerName;
        }
        Transport adapter = adapters.apply(path);
        if (adapter == null) {
            return "no adapter for " + path + " is on the class path";
        }
        if (!self.ready().containsKey(path)) {
            return "missing here: " + self.missing().getOrDefault(path, "it was not prepared");
        }
        if (!peer.ready().containsKey(path)) {
            return "missing at " + peerName + ": " + peer.missing().getOrDefault(path, "it does not know this path");
        }
        return unreachable(adapter);
    }

    private @Nullable String unreachable(Transport adapter) {
        try {
            return adapter.reaches(self, peer);
        } catch (RuntimeException e) {
            // The card comes from the peer, and must not end more than this path.
            return "the adapter can't read the card of " + peerName + " (" + e + ')';
        }
    }

    private @Nullable String refusal(Map<String, Candidate> candidates) {
        for (Candidate candidate : candidates.values()) {
            if (candidate instanceof Rejected rejected && decides(rejected.path())) {
                return rejected.path() + " to " + peerName + " is required ("
                        + (mine.of(rejected.path()) == PathSwitch.REQUIRED ? "here" : "there") + ") and can't be used: "
                        + rejected.reason() + "; mend that, or set weir.transport." + rejected.path() + "=on";
            }
        }
        return candidates.values().stream().anyMatch(Try.class::isInstance) ? null : noPath(candidates);
    }

    /**
     * Whether this is a required path, and not one that stands behind another required one and so never has its turn.
     */
    private boolean decides(String path) {
        int at = mine.paths().indexOf(path);
        return required(path) && (at < 0 || mine.paths().subList(0, at).stream().noneMatch(this::required));
    }

    private String noPath(Map<String, Candidate> candidates) {
        return candidates.values().stream()
                .filter(Rejected.class::isInstance)
                .map(candidate -> candidate.path() + ": " + ((Rejected) candidate).reason())
                .collect(Collectors.joining("; ", "no path leads to " + peerName + ": ", ""));
    }
}
