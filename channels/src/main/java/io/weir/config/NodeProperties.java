package io.weir.config;

import io.weir.core.Misconfigured;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads settings by name into a builder. */
final class NodeProperties {

    static final String PREFIX = "weir.";

    /** A secret, or the file in which it is. */
    private static final String FILE = "-file";

    private static final String TRANSPORT = ".transport.";

    /**
     * Of system properties and variables: what the build, the tests, the launcher and the log configuration use.
     * Names that end in a dot are the beginnings of several.
     */
    private static final List<String> OF_THE_BUILD = List.of(
            "weir.test.",
            "weir.required.",
            "weir.jcstress.",
            "weir.seed",
            "weir.fabric",
            "weir.fabric.",
            "weir.java.opts",
            "weir.log");

    private static final Map<String, NodeSetting<?>> SINGLE = NodeSettings.all().stream()
            .collect(Collectors.toMap(NodeSetting::name, row -> row, (a, b) -> a, TreeMap::new));

    private final KnownPaths known;
    private NodeSpec.Builder builder;

    private NodeProperties(NodeSpec.Builder builder, KnownPaths known) {
        this.builder = builder;
        this.known = known;
    }

    /** The three sources over the defaults, later wins. */
    static NodeSpec.Builder merge(Properties properties, Properties system, Map<String, String> environment) {
        NodeProperties reader = new NodeProperties(NodeSpec.builder(), KnownPaths.load());
        reader.read(texts(properties));
        SortedMap<String, String> ours = texts(system);
        ours.keySet().removeIf(NodeProperties::isOfTheBuild);
        reader.read(ours);
        reader.readEnvironment(environment);
        return reader.builder;
    }

    private static SortedMap<String, String> texts(Properties properties) {
        SortedMap<String, String> texts = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            texts.put(name, properties.getProperty(name));
        }
        return texts;
    }

    static boolean isOfTheBuild(String name) {
        return OF_THE_BUILD.stream().anyMatch(own -> own.endsWith(".") ? name.startsWith(own) : name.equals(own));
    }

    /** Every name that a single value has, with its prefix. */
    static List<String> singleNames() {
        return List.copyOf(SINGLE.keySet());
    }

    /** The builder with these settings, names of others left out. */
    static NodeSpec.Builder apply(NodeSpec.Builder builder, Map<String, String> properties) {
        NodeProperties reader = new NodeProperties(builder, KnownPaths.load());
        reader.read(properties);
        return reader.builder;
    }

    /** See {@link NodeSpec#settingsOf}. */
    static SortedMap<String, String> settingsOf(Map<String, String> environment, Set<String> named) {
        EnvironmentNames names = new EnvironmentNames(
                KnownPaths.load(),
                names(named, NamedSettings.PEERS.prefix()),
                names(named, NamedSettings.PORTS.prefix()),
                names(named, NamedSettings.SERVICES.prefix()));
        SortedMap<String, String> settings = names.translate(environment);
        settings.replaceAll((name, variable) -> environment.getOrDefault(variable, ""));
        return settings;
    }

    /** Of the peers, ports or services that these properties are about. */
    private static Set<String> names(Set<String> properties, String prefix) {
        return properties.stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()).replaceFirst("\\.(transport\\.|ssl\\.)?[^.]*$", ""))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    }

    private void read(Map<String, String> properties) {
        checkOneSecret(properties.keySet());
        new TreeMap<>(properties).forEach((name, text) -> {
            if (name.startsWith(PREFIX)) {
                set(name, name, text);
            }
        });
    }

    private static void checkOneSecret(Set<String> names) {
        for (String name : names) {
            if (name.startsWith(PREFIX) && names.contains(name + FILE)) {
                throw new Misconfigured(name + " and " + name + FILE + " are both set; remove one of them");
            }
        }
    }

    private void readEnvironment(Map<String, String> environment) {
        EnvironmentNames names =
                new EnvironmentNames(known, builder.peerNames(), builder.portNames(), builder.serviceNames());
        SortedMap<String, String> properties = names.translate(environment);
        checkOneSecret(properties.keySet());
        properties.forEach((name, variable) -> set(name, variable, environment.getOrDefault(variable, "")));
    }

    /**
     * Takes one value.
     *
     * @param name the property
     * @param label what it was really called
     */
    private void set(String name, String label, String text) {
        NodeSetting<?> single = SINGLE.get(name);
        String rest = name.substring(PREFIX.length());
        if (single != null) {
            builder = single.read(builder, new Setting(label, text));
        } else if (rest.startsWith("transport.")) {
            transport(rest.substring("transport.".length()), new Setting(label, text));
        } else if (rest.startsWith("peers.")) {
            named(NamedSettings.PEERS, name, new Setting(label, text));
        } else if (rest.startsWith("ports.")) {
            named(NamedSettings.PORTS, name, new Setting(label, text));
        } else if (rest.startsWith("services.")) {
            named(NamedSettings.SERVICES, name, new Setting(label, text));
        } else {
            throw unknown(label, name, candidates());
        }
    }

    private void transport(String tail, Setting set) {
        int dot = tail.indexOf('.');
        if (dot < 0) {
            builder = builder.paths(over(builder.paths(), tail, set));
            return;
        }
        String path = tail.substring(0, dot);
        String option = tail.substring(dot + 1);
        known.checkOption(set.label(), path, option);
        builder = builder.transportOption(path, option, set.text());
    }

    /**
     * Something of one peer, port or service: its name may hold dots, so it is what stands between the prefix and the
     * last word, or the last words where these are about its paths.
     */
    private void named(NamedSettings<?> kind, String property, Setting set) {
        String part = property.substring(kind.prefix().length());
        NamedSettings.Paths paths = kind.paths();
        int transport = part.lastIndexOf(TRANSPORT);
        int last = part.lastIndexOf('.');
        NamedSettings.Row<?> row = last > 0 ? kind.row(part.substring(last + 1)) : null;
        if (paths != null && transport > 0) {
            String tail = part.substring(transport + TRANSPORT.length());
            builder = paths.change(builder, part.substring(0, transport), policy -> over(policy, tail, set));
        } else if (row != null) {
            builder = row.into().put(builder, part.substring(0, last), set);
        } else {
            throw new Misconfigured(set.label() + " is no setting of a " + kind.what() + ". Known: "
                    + String.join(", ", kind.properties(last > 0 ? part.substring(0, last) : part)));
        }
    }

    /** The policy with one more setting: the order, or a switch. */
    private PathPolicy over(PathPolicy policy, String tail, Setting set) {
        if (tail.equals("order")) {
            List<String> order = set.list(path -> {
                known.checkOrdered(set.label(), path);
                return path;
            });
            return ordered(policy, order, set);
        }
        if (known.nearest(tail) == null && Nearest.to(tail, List.of("order")) != null) {
            throw new Misconfigured(set.label() + " is no setting; did you mean the order of the paths, "
                    + set.label().substring(0, set.label().length() - tail.length())
                    + (set.label().startsWith("WEIR") ? "ORDER" : "order") + '?');
        }
        known.check(set.label(), tail);
        return policy.and(new PathPolicy(List.of(), Map.of(tail, set.pathSwitch())));
    }

    private static PathPolicy ordered(PathPolicy policy, List<String> order, Setting set) {
        try {
            return new PathPolicy(order, policy.switches(), policy.repath());
        } catch (Misconfigured e) {
            throw new Misconfigured(set.label() + ": " + e.getMessage(), e);
        }
    }

    private List<String> candidates() {
        List<String> names = new ArrayList<>(SINGLE.keySet());
        names.add("weir.transport.order");
        known.names().forEach(path -> names.add("weir.transport." + path));
        return names;
    }

    private static Misconfigured unknown(String label, String name, List<String> candidates) {
        String nearest = Nearest.to(name, candidates);
        return new Misconfigured(
                label + " is no setting of Weir" + (nearest == null ? "." : meant(label, name, nearest))
                        + " Known: " + String.join(", ", singleNames())
                        + ", weir.transport.…, weir.peers.<peer>.…, weir.ports.<port>.…, weir.services.<service>.…");
    }

    private static String meant(String label, String name, @Nullable String nearest) {
        return "; did you mean " + (label.equals(name) ? nearest : EnvironmentNames.of(String.valueOf(nearest))) + '?';
    }
}
