package io.weir.config;

import io.weir.core.Misconfigured;
import io.weir.core.Transport;
import java.util.HashSet;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The adapters on the class path. */
public final class Transports {

    private Transports() {}

    /**
     * Every adapter, by the name of its path. Looks through the loader of this class and through the caller's context
     * loader: a thread of the common pool has the system loader as its context, which sees nothing of a packed
     * application.
     *
     * @throws Misconfigured if one can't be loaded, or two claim one name
     */
    public static Map<String, Transport> find() {
        Map<String, Transport> found = new TreeMap<>();
        Set<Class<?>> seen = new HashSet<>();
        collect(Transports.class.getClassLoader(), seen, found);
        collect(Thread.currentThread().getContextClassLoader(), seen, found);
        return found;
    }

    private static void collect(@Nullable ClassLoader loader, Set<Class<?>> seen, Map<String, Transport> found) {
        try {
            ServiceLoader.load(Transport.class, loader).stream()
                    .filter(provider -> seen.add(provider.type()))
                    .map(ServiceLoader.Provider::get)
                    .forEach(transport -> add(transport, found));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new Misconfigured(
                    "an adapter on the class path can't be loaded (" + e + "); mend or remove its jar", e);
        }
    }

    private static void add(Transport transport, Map<String, Transport> found) {
        Transport other = found.putIfAbsent(transport.name(), transport);
        if (other != null) {
            throw new Misconfigured("two adapters on the class path are named " + transport.name() + ": "
                    + other.getClass().getName() + " and "
                    + transport.getClass().getName() + "; remove one of their jars");
        }
    }
}
