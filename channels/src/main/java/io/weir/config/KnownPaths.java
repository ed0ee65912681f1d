package io.weir.config;

import io.weir.core.Misconfigured;
import io.weir.core.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names that configuration may use for paths: those of Weir, and those of the adapters that were found. */
public final class KnownPaths {

    /** What people call a path, and its name. */
    private static final Map<String, String> ALIASES = Map.ofEntries(
            Map.entry("myrinet", "gm"),
            Map.entry("infiniband", "verbs"),
            Map.entry("ib", "verbs"),
            Map.entry("rdma", "verbs"),
            Map.entry("roce", "verbs"),
            Map.entry("ibverbs", "verbs"),
            Map.entry("sharedmemory", "shm"),
            Map.entry("sysv", "shm"),
            Map.entry("ipc", "shm"),
            Map.entry("qsnet", "elan"),
            Map.entry("quadrics", "elan"),
            Map.entry("ethernet", "p4sock"),
            Map.entry("p4s", "p4sock"),
            Map.entry("udapl", "dapl"),
            Map.entry("socket", "tcp"),
            Map.entry("sockets", "tcp"),
            Map.entry("inproc", "local"),
            Map.entry("jvm", "local"));

    private final Map<String, Transport> found;
    private final List<String> names;

    private KnownPaths(Map<String, Transport> found) {
        this.found = found;
        names = new ArrayList<>(PathPolicy.STANDARD_ORDER);
        found.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
    }

    /** The standard ones and what is on the class path now. */
    static KnownPaths load() {
        return new KnownPaths(Transports.find());
    }

    public static KnownPaths of(Map<String, Transport> found) {
        return new KnownPaths(found);
    }

    /** All names, the standard ones first, in their order. */
    List<String> names() {
        return names;
    }

    /** The path that this name most likely means, or null. */
    @Nullable
    String nearest(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        String meant = names.contains(plain) ? plain : ALIASES.get(plain);
        return meant != null ? meant : Nearest.to(plain, names);
    }

    /** Refuses a name that no path has. */
    void check(String setting, String path) {
        if (!names.contains(path)) {
            String meant = nearest(path);
            throw new Misconfigured(setting + " names '" + path + "', which is no path"
                    + (meant == null ? "." : "; did you mean " + meant + "?") + " Known: " + String.join(", ", names));
        }
    }

    /** Refuses what an order can't name. */
    void checkOrdered(String setting, String name) {
        boolean measured = name.equals(PathPolicy.MEASURED);
        if (!measured && nearest(name) == null && Nearest.to(name, List.of(PathPolicy.MEASURED)) != null) {
            throw new Misconfigured(
                    setting + " names '" + name + "', which is no path; did you mean " + PathPolicy.MEASURED + '?');
        }
        if (!measured) {
            check(setting, name);
        }
    }

    /** Refuses a policy that names unknown paths, in its order or its switches. */
    void check(String prefix, PathPolicy policy) {
        policy.order().forEach(name -> checkOrdered(prefix + ".order", name));
        policy.switches().keySet().forEach(path -> check(prefix + '.' + path, path));
    }

    /** The options of this path; null if its adapter is not on the class path. */
    @Nullable
    Set<String> options(String path) {
        Transport transport = found.get(path);
        return transport == null ? null : transport.options();
    }

    /** Refuses an option that the path's adapter does not know, or any if there is no adapter. */
    void checkOption(String setting, String path, String option) {
        check(setting, path);
        Set<String> options = options(path);
        if (options == null) {
            throw new Misconfigured(setting + " can't be used: no adapter for " + path
                    + " is on the class path; add its jar or remove the setting");
        }
        if (!options.contains(option)) {
            throw new Misconfigured(setting + " is no option of " + path + unknownOption(path, option, options));
        }
    }

    private static String unknownOption(String path, String option, Set<String> options) {
        if (options.isEmpty()) {
            return ", which has none";
        }
        String meant = Nearest.to(option, options);
        return (meant == null ? "." : "; did you mean weir.transport." + path + '.' + meant + '?') + " Known: "
                + String.join(", ", options.stream().sorted().toList());
    }
}
