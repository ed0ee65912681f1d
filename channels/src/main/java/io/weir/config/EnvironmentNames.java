package io.weir.config;

import io.weir.core.Misconfigured;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the property that a variable of the environment stands for. Both are compared in capitals, with {@code _} for
 * everything that is neither letter nor digit; where several names have one shape, the names that exist decide.
 */
final class EnvironmentNames {

    /** The last line: what only the Spring Boot starter knows. */
    private static final Pattern NAMED = Pattern.compile("WEIR_(PEERS|PORTS)_(.+?)_(" + NamedSettings.PEERS.shapes()
            + '|' + NamedSettings.PORTS.shapes() + "|TRANSPORT_(ORDER|[A-Z0-9]+)"
            + "|SERVICE|DEADLINE|TRIES|PASSWORD|BALANCE|OPTIONAL|SSL_BUNDLE)");

    private static final Pattern OF_SERVICE =
            Pattern.compile("WEIR_SERVICES_(.+?)_(" + NamedSettings.SERVICES.shapes() + ')');
    private static final Pattern OPTION = Pattern.compile("WEIR_TRANSPORT_([A-Z0-9]+)_(.+)");

    private final KnownPaths known;
    private final Collection<String> peers;
    private final Collection<String> ports;
    private final Collection<String> services;

    EnvironmentNames(
            KnownPaths known, Collection<String> peers, Collection<String> ports, Collection<String> services) {
        this.known = known;
        this.peers = List.copyOf(peers);
        this.ports = List.copyOf(ports);
        this.services = List.copyOf(services);
    }

    /** The variable of this property. */
    static String of(String property) {
        return property.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    /**
     * Property to variable, of all variables that are meant for a node and not empty.
     *
     * @throws Misconfigured if two variables set one property
     */
    SortedMap<String, String> translate(Map<String, String> environment) {
        SortedMap<String, String> properties = new TreeMap<>();
        environment.forEach((variable, text) -> {
            String shape = of(variable);
            if (shape.startsWith("WEIR_") && !text.isBlank() && !isOfCluster(shape, environment.keySet())) {
                String property = property(shape);
                if (!NodeProperties.isOfTheBuild(property)) {
                    put(properties, property, variable);
                }
            }
        });
        return properties;
    }

    private static void put(Map<String, String> properties, String property, String variable) {
        String other = properties.putIfAbsent(property, variable);
        if (other != null) {
            throw new Misconfigured(variable + " and " + other + " both set " + property + "; remove one of them");
        }
    }

    /**
     * Kubernetes describes a service named weir, or weir-something, to each pod by variables that look like ours:
     * {@code WEIR_SERVICE_HOST}, {@code WEIR_PORT_7000_TCP_ADDR} and so on.
     */
    private static boolean isOfCluster(String shape, Set<String> variables) {
        return variables.stream()
                .filter(variable -> variable.startsWith("WEIR") && variable.endsWith("_SERVICE_HOST"))
                .map(variable -> variable.substring(0, variable.length() - "_SERVICE_HOST".length()))
                .anyMatch(service -> shape.equals(service + "_PORT")
                        || shape.startsWith(service + "_PORT_")
                        || shape.startsWith(service + "_SERVICE_"));
    }

    private String property(String shape) {
        for (String name : NodeProperties.singleNames()) {
            if (of(name).equals(shape)) {
                return name;
            }
        }
        Matcher named = NAMED.matcher(shape);
        if (named.matches()) {
            boolean peer = named.group(1).equals("PEERS");
            return (peer ? "weir.peers." : "weir.ports.")
                    + existing(shape, named.group(2), peer ? peers : ports)
                    + '.'
                    + named.group(3).toLowerCase(Locale.ROOT).replace('_', '.');
        }
        Matcher service = OF_SERVICE.matcher(shape);
        if (service.matches()) {
            return "weir.services."
                    + existing(shape, service.group(1), services)
                    + '.'
                    + service.group(2).toLowerCase(Locale.ROOT).replace('_', '-');
        }
        Matcher option = OPTION.matcher(shape);
        if (option.matches()) {
            String path = option.group(1).toLowerCase(Locale.ROOT);
            Set<String> options = known.options(path);
            return "weir.transport." + path + '.'
                    + existing(shape, option.group(2), options == null ? Set.of() : options);
        }
        return shape.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The name of this shape; a new one is in small letters with dashes. */
    private static String existing(String variable, String shape, Collection<String> names) {
        List<String> meant =
                names.stream().filter(name -> of(name).equals(shape)).sorted().toList();
        if (meant.size() > 1) {
            throw new Misconfigured(variable + " may mean each of " + String.join(", ", meant)
                    + "; rename one of them, or set the property instead");
        }
        return meant.isEmpty() ? shape.toLowerCase(Locale.ROOT).replace('_', '-') : meant.get(0);
    }
}
