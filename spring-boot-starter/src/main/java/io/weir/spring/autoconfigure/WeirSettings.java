package io.weir.spring.autoconfigure;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Everything that is set under {@code weir}, by the names of {@link NodeSpec}: relaxed names made canonical, lists
 * joined, placeholders resolved, and with the place where it stands. Nothing under that name is passed over, so that a
 * misspelt one is found.
 */
final class WeirSettings {

    static final String PREFIX = "weir.";

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");

    /** The user chooses names below these. */
    private static final Set<String> NAMED = Set.of("peers", "ports", "services");

    /** What only the starter reads. */
    private static final Pattern OF_STARTER = Pattern.compile("weir\\.(enabled|codec|ssl\\.bundle|page\\.enabled"
            + "|observation\\.(enabled|context)|discovery\\.(enabled|refresh)"
            + "|peers\\..+\\.(service|deadline|tries|password|balance|optional|ssl\\.bundle))");

    private static final Pattern PEER = Pattern.compile("weir\\.peers\\.(.+?)\\.(transport\\.[^.]+|ssl\\.[^.]+|[^.]+)");

    /** @param origin where it stands, if that is known */
    record Value(String text, @Nullable Origin origin) {}

    private final Map<String, Value> values = new TreeMap<>();

    private WeirSettings() {}

    /** What is set now. */
    static WeirSettings of(Environment environment) {
        WeirSettings settings = new WeirSettings();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource known && !isEnvironment(source)) {
                settings.addBelow(known, environment);
            }
        }
        return settings;
    }

    /** What it means is read by {@link WeirEnvironmentPostProcessor}. */
    private static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> property
                && property.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private void addBelow(IterableConfigurationPropertySource source, Environment environment) {
        Map<String, SortedMap<Integer, Value>> lists = new HashMap<>();
        Map<String, Value> found = new HashMap<>();
        for (ConfigurationPropertyName name : source) {
            if (!ROOT.isAncestorOf(name) || NodeSpec.isForTools(name.toString())) {
                continue;
            }
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property == null) {
                continue;
            }
            Object raw = property.getValue();
            Value value = new Value(environment.resolvePlaceholders(String.valueOf(raw)), property.getOrigin());
            int last = name.getNumberOfElements() - 1;
            if (name.isNumericIndex(last)) {
                lists.computeIfAbsent(canonical(name, last), list -> new TreeMap<>())
                        .put(Integer.valueOf(name.getElement(last, Form.ORIGINAL)), value);
            } else {
                found.put(canonical(name, last + 1), value);
            }
        }
        lists.forEach((name, items) -> found.put(name, joined(items.values())));
        // Who comes first wins.
        found.forEach(values::putIfAbsent);
    }

    private static Value joined(Collection<Value> items) {
        List<String> texts = items.stream().map(Value::text).toList();
        return new Value(String.join(", ", texts), items.iterator().next().origin());
    }

    private static String canonical(ConfigurationPropertyName name, int elements) {
        boolean named = elements > 2 && NAMED.contains(dashed(name.getElement(1, Form.ORIGINAL)));
        StringBuilder text = new StringBuilder("weir");
        for (int i = 1; i < elements; i++) {
            String element = name.getElement(i, Form.ORIGINAL);
            text.append('.').append(named && i > 1 && i < elements - 1 ? element : dashed(element));
        }
        return text.toString();
    }

    /** As names are written in files. */
    private static String dashed(String element) {
        return element.replaceAll("([a-z0-9])([A-Z])", "$1-$2")
                .replace('_', '-')
                .toLowerCase(Locale.ROOT);
    }

    /** Where this is set, if it is. */
    @Nullable
    Value value(String name) {
        return values.get(name);
    }

    /** Where the setting stands that this text names first. */
    @Nullable
    Value namedIn(String text) {
        Value found = null;
        int first = Integer.MAX_VALUE;
        int length = 0;
        for (Map.Entry<String, Value> entry : values.entrySet()) {
            String name = entry.getKey();
            int at = text.indexOf(name);
            if (at >= 0 && (at < first || (at == first && name.length() > length))) {
                found = entry.getValue();
                first = at;
                length = name.length();
            }
        }
        return found;
    }

    /** Whether this name is one of Weir's. */
    static boolean isOurs(ConfigurationPropertyName name) {
        return ROOT.equals(name) || ROOT.isAncestorOf(name);
    }

    /** Whether there is anything that only the starter reads. */
    boolean areOfStarter() {
        return values.keySet().stream().anyMatch(OF_STARTER.asMatchPredicate());
    }

    /** By name of the peer, where they say that it is. */
    Map<String, String> addresses() {
        Map<String, String> addresses = new TreeMap<>();
        for (String peer : peers()) {
            Value address = values.get(peer(peer, "address"));
            if (address != null) {
                addresses.put(peer, address.text());
            }
        }
        return addresses;
    }

    /** The names of all peers. */
    Set<String> peers() {
        Set<String> names = new HashSet<>();
        values.keySet().forEach(name -> {
            var matcher = PEER.matcher(name);
            if (matcher.matches()) {
                names.add(matcher.group(1));
            }
        });
        return names;
    }

    private static String peer(String name, String setting) {
        return "weir.peers." + name + '.' + setting;
    }

    /**
     * The settings of a node, without those of peers that have no address, which the node does not know.
     *
     * @param addressed the peers that have one
     * @throws Misconfigured if something is said of another peer that has no meaning
     */
    Map<String, String> ofNode(Set<String> addressed) {
        Map<String, String> texts = new TreeMap<>();
        values.forEach((name, value) -> {
            var peer = PEER.matcher(name);
            boolean ofStarter = OF_STARTER.matcher(name).matches();
            if (peer.matches() && !addressed.contains(peer.group(1))) {
                checkOfDirectory(name, peer.group(1), peer.group(2), ofStarter);
            } else if (!ofStarter && !value.text().isBlank()) {
                texts.put(name, value.text());
            }
        });
        return Collections.unmodifiableMap(texts);
    }

    private static void checkOfDirectory(String name, String peer, String setting, boolean ofStarter) {
        boolean known = (ofStarter && !setting.equals("ssl.bundle")) || setting.equals("wait");
        if (!known && !setting.startsWith("transport.")) {
            throw new Misconfigured(name + " is of no use: the peer " + peer + " has no address and is looked up in the"
                    + " directory; set " + peer(peer, "address") + "=tcp://host:port, or remove it");
        }
    }
}
