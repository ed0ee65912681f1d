package io.weir.config;

import io.weir.core.Misconfigured;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A port that the configuration names.
 *
 * @param paths what differs for its channels from the node's own {@link NodeSpec#paths()}
 * @param allow who may use it: principals of certificates, and {@code name:<node>} for nodes of this name that have
 *     proved to know the shared secret; null: everybody, empty: nobody
 */
public record PortSpec(PathPolicy paths, @Nullable Set<String> allow) {

    private static final String NAME = "name:";

    /**
     * Copies the set.
     *
     * @throws Misconfigured if an entry is empty
     */
    public PortSpec {
        Objects.requireNonNull(paths, "paths");
        if (allow != null) {
            allow = Set.copyOf(allow);
            if (allow.stream()
                    .anyMatch(entry -> entry.isBlank() || entry.strip().equals(NAME))) {
                throw new Misconfigured("weir.ports.<port>.allow names nobody between two semicolons: write principals"
                        + " such as CN=billing,O=shop, or name:<node>, with ; between them");
            }
        }
    }

    /** Open to everybody. */
    public PortSpec(PathPolicy paths) {
        this(paths, null);
    }

    PortSpec with(PathPolicy others) {
        return new PortSpec(others, allow);
    }

    PortSpec allowing(Set<String> only) {
        return new PortSpec(paths, only);
    }

    /**
     * Whether a peer may use it.
     *
     * @param principal of its certificate; null if it has shown none
     * @param name of its node; null unless it has proved to know the shared secret
     */
    public boolean permits(@Nullable String principal, @Nullable String name) {
        return allow == null
                || (principal != null && !principal.startsWith(NAME) && allow.contains(principal))
                || (name != null && allow.contains(NAME + name));
    }

    /** As it stands in the configuration. */
    static String written(Set<String> allow) {
        return String.join("; ", new TreeSet<>(allow));
    }
}
