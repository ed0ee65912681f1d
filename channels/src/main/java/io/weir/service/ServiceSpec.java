package io.weir.service;

import io.weir.config.Password;
import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A service that a node is to serve. Immutable; prints no password.
 *
 * @param name by which clients ask for it: a letter or digit, then up to 127 letters, digits, dots, dashes, underscores
 *     and dollar signs
 * @param port the port of the node that serves it
 * @param password what clients have to prove to know; null: what the configuration says
 *     ({@code weir.services.<name>.password}), and if that says nothing, everybody may call it
 * @param paths the paths over which it is offered; empty: those that the configuration gives to its port
 * @param attributes whatever else is announced, for instance its zone or version; no secrets
 */
public record ServiceSpec(
        String name, String port, @Nullable Password password, List<String> paths, Map<String, String> attributes) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._$-]{0,127}");

    /**
     * Copies the list and the map.
     *
     * @throws Misconfigured if the name is none
     */
    public ServiceSpec {
        checkName(name);
        Objects.requireNonNull(port, "port");
        paths = List.copyOf(paths);
        attributes = Map.copyOf(attributes);
    }

    /** A service of this name, at the port of the same name, and nothing else said of it. */
    public static ServiceSpec of(String name) {
        return new ServiceSpec(name, name, null, List.of(), Map.of());
    }

    /** The same at another port. */
    public ServiceSpec withPort(String other) {
        return new ServiceSpec(name, other, password, paths, attributes);
    }

    /** The same for those who know this password. */
    public ServiceSpec withPassword(Password other) {
        return new ServiceSpec(name, port, other, paths, attributes);
    }

    /** The same over these paths only. */
    public ServiceSpec withPaths(String... only) {
        return new ServiceSpec(name, port, password, List.of(only), attributes);
    }

    /** The same with one more attribute. */
    public ServiceSpec with(String attribute, String value) {
        Map<String, String> more = new TreeMap<>(attributes);
        more.put(attribute, value);
        return new ServiceSpec(name, port, password, paths, more);
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    static void checkName(String name) {
        if (!isName(name)) {
            throw new Misconfigured("'" + ForeignText.harmless(name) + "' is no name of a service: write a letter"
                    + " or digit, then up to 127 letters, digits, and . - _ $");
        }
    }
}
