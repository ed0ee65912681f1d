package io.weir.config;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads settings by name into a builder. */
final class NodeProperties {

    static final String PREFIX = "weir.";

    private static final String SECRET = "weir.security.secret";
    private static final String FORMER_SECRET = "weir.security.former-secret";
    private static final String FILE = "-file";
    private static final String PASSWORD = ".password";
    private static final String PEERS = "weir.peers.";
    private static final String SERVICES = "weir.services.";

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

    private static final Map<String, BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder>> SINGLE = single();

    private final KnownPaths known;
    private NodeSpec.Builder builder;

    private NodeProperties(NodeSpec.Builder builder, KnownPaths known) {
        this.builder = builder;
        this.known = known;
    }

    private static Map<String, BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder>> single() {
        Map<String, BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder>> table = new TreeMap<>();
        NodeSettings.all().forEach(row -> table.put(row.name(), row::read));
        putTls(table);
        table.put("weir.repath", (spec, set) -> spec.repath(set.repath()));
        table.put(SECRET, (spec, set) -> spec.secret(set.secret()));
        table.put(SECRET + FILE, (spec, set) -> spec.secret(set.secretOfFile()));
        table.put(FORMER_SECRET, (spec, set) -> spec.formerSecret(set.secret()));
        table.put(FORMER_SECRET + FILE, (spec, set) -> spec.formerSecret(set.secretOfFile()));
        table.put("weir.security.require", (spec, set) -> spec.require(set.oneOf(Requirement.class)));
        putDirectory(table);
        return table;
    }

    private static void putDirectory(Map<String, BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder>> table) {
        Map<String, BiFunction<ZooKeeperSpec, Setting, ZooKeeperSpec>> zooKeeper = Map.of(
                "connect", (spec, set) -> spec.connect(set.text()),
                "root", (spec, set) -> spec.root(set.text()),
                "user", (spec, set) -> spec.user(set.text()),
                "password-file", (spec, set) -> spec.password(set.secretOfFile()),
                "timeout", (spec, set) -> spec.timeout(set.time()),
                "session", (spec, set) -> spec.session(set.time()));
        zooKeeper.forEach((name, change) -> table.put(
                "weir.directory.zookeeper." + name, (spec, set) -> spec.zooKeeper(had -> change.apply(had, set))));
    }

    private static void putTls(Map<String, BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder>> table) {
        Map<String, BiFunction<TlsSpec.Builder, Setting, TlsSpec.Builder>> tls = Map.ofEntries(
                Map.entry("weir.tls", (spec, set) -> spec.enabled(set.flag())),
                Map.entry("weir.tls.certificate", (spec, set) -> spec.certificate(file(set))),
                Map.entry("weir.tls.key", (spec, set) -> spec.key(file(set))),
                Map.entry("weir.tls.key-password", (spec, set) -> spec.keyPassword(set.text())),
                Map.entry("weir.tls.key-store", (spec, set) -> spec.keyStore(file(set))),
                Map.entry("weir.tls.key-store-password", (spec, set) -> spec.keyStorePassword(set.text())),
                Map.entry("weir.tls.trust", (spec, set) -> spec.trust(file(set))),
                Map.entry("weir.tls.trust-store", (spec, set) -> spec.trustStore(file(set))),
                Map.entry("weir.tls.trust-store-password", (spec, set) -> spec.trustStorePassword(set.text())),
                Map.entry("weir.tls.client-auth", (spec, set) -> spec.clientAuth(set.oneOf(TlsSpec.ClientAuth.class))),
                Map.entry("weir.tls.verify-host", (spec, set) -> spec.verifyHost(set.flag())),
                Map.entry("weir.tls.protocols", (spec, set) -> spec.protocols(set.list(text -> text))),
                Map.entry("weir.tls.reload", (spec, set) -> spec.reload(set.time())));
        tls.forEach((name, change) ->
                table.put(name, (spec, set) -> spec.tls(building -> change.apply(building, set))));
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
                KnownPaths.load(), names(named, PEERS), names(named, "weir.ports."), names(named, SERVICES));
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
        for (String secret : List.of(SECRET, FORMER_SECRET)) {
            if (names.contains(secret) && names.contains(secret + FILE)) {
                throw new Misconfigured(secret + " and " + secret + FILE + " are both set; remove one of them");
            }
        }
        for (String name : names) {
            if (name.startsWith(SERVICES) && name.endsWith(PASSWORD) && names.contains(name + FILE)) {
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
        BiFunction<NodeSpec.Builder, Setting, NodeSpec.Builder> single = SINGLE.get(name);
        String rest = name.substring(PREFIX.length());
        if (single != null) {
            builder = single.apply(builder, new Setting(label, text));
        } else if (rest.startsWith("transport.")) {
            transport(rest.substring("transport.".length()), new Setting(label, text));
        } else if (rest.startsWith("peers.") || rest.startsWith("ports.")) {
            named(rest, label, text);
        } else if (rest.startsWith("services.")) {
            service(name.substring(SERVICES.length()), label, text);
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
     * Something of one peer or port: its name may hold dots, so it is what stands between the first word and the last
     * ones.
     */
    private void named(String rest, String label, String text) {
        boolean ofPeer = rest.startsWith("peers.");
        String part = rest.substring("peers.".length());
        int transport = part.lastIndexOf(".transport.");
        int last = part.lastIndexOf('.');
        if (transport > 0) {
            String name = part.substring(0, transport);
            String tail = part.substring(transport + ".transport.".length());
            Setting set = new Setting(label, text);
            builder = ofPeer
                    ? builder.peerPaths(name, over(builder.peerPaths(name), tail, set))
                    : builder.port(
                            name,
                            builder.port(name).with(over(builder.port(name).paths(), tail, set)));
        } else if (ofPeer && last > 0 && part.endsWith(".address")) {
            builder = builder.peerAddress(part.substring(0, last), address(new Setting(label, text)));
        } else if (ofPeer && last > 0 && part.endsWith(".repath")) {
            String name = part.substring(0, last);
            builder = builder.peerPaths(name, builder.peerPaths(name).with(new Setting(label, text).repath()));
        } else if (ofPeer && last > 0 && part.endsWith(".connect")) {
            builder = builder.peerConnect(
                    part.substring(0, last), new Setting(label, text).oneOf(PeerSpec.Connect.class));
        } else if (ofPeer && last > 0 && part.endsWith(".wait")) {
            builder = builder.peerPatience(part.substring(0, last), new Setting(label, text).time());
        } else if (ofPeer && last > 0 && part.endsWith(".gateway")) {
            Setting set = new Setting(label, text);
            builder = builder.peerGateways(part.substring(0, last), NodeSettings.addresses(set));
        } else if (!ofPeer && last > 0 && part.endsWith(".allow")) {
            String name = part.substring(0, last);
            builder = builder.port(name, builder.port(name).allowing(new Setting(label, text).principals()));
        } else {
            throw unknownOfNamed(label, ofPeer, last > 0 ? part.substring(0, last) : part);
        }
    }

    /** Something of one service, whose name may hold dots. */
    private void service(String part, String label, String text) {
        int last = part.lastIndexOf('.');
        String name = last > 0 ? part.substring(0, last) : part;
        ServiceSettings former = builder.service(name);
        Setting set = new Setting(label, text);
        builder = builder.service(
                name,
                switch (last > 0 ? part.substring(last) : "") {
                    case ".addresses" -> former.withAddresses(NodeSettings.addresses(set));
                    case PASSWORD -> former.withPassword(set.password());
                    case PASSWORD + FILE -> former.withPassword(set.passwordOfFile());
                    case ".wait" -> former.withPatience(set.time());
                    case ".balance" -> former.withBalance(set.oneOf(Balance.class));
                    default -> {
                        String known = SERVICES + name;
                        throw new Misconfigured(label + " is no setting of a service. Known: " + known
                                + ".addresses, " + known + PASSWORD + ", "
                                + known + PASSWORD + FILE + ", " + known + ".wait, " + known + ".balance");
                    }
                });
    }

    private static Misconfigured unknownOfNamed(String label, boolean ofPeer, String name) {
        String prefix = (ofPeer ? PEERS : "weir.ports.") + name;
        return new Misconfigured(label + " is no setting of a " + (ofPeer ? "peer" : "port") + ". Known: "
                + (ofPeer
                        ? prefix + ".address, " + prefix + ".repath, " + prefix + ".connect, " + prefix + ".wait, "
                                + prefix + ".gateway, "
                        : prefix + ".allow, ")
                + prefix + ".transport.order, " + prefix
                + ".transport.<path>");
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

    private static PeerAddress address(Setting set) {
        return NodeSettings.address(set, set.text());
    }

    private static Path file(Setting set) {
        try {
            return Path.of(set.text());
        } catch (InvalidPathException e) {
            throw new Misconfigured(set.label() + '=' + set.text() + " is not a file's name: " + e.getReason(), e);
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
