package io.weir.spring.autoconfigure;

import io.weir.config.NodeSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reads the variables {@code WEIR_*} of the environment as {@link NodeSpec} does, so that
 * {@code WEIR_PEERS_TAX_OFFICE_ADDRESS} and {@code WEIR_TRANSPORT_SHM_RING_SIZE} mean in a Spring application what they
 * mean elsewhere: Boot takes every {@code _} within a name of the user's choice for a dot.
 */
final class WeirEnvironmentPostProcessor implements EnvironmentPostProcessor, Ordered {

    static final String NAME = "weirEnvironment";

    /** After the files, which name the peers. */
    @Override
    public int getOrder() {
        return ConfigDataEnvironmentPostProcessor.ORDER + 10;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        add(environment);
        Preloading.begin(environment);
    }

    static void add(ConfigurableEnvironment environment) {
        MutablePropertySources sources = environment.getPropertySources();
        PropertySource<?> system = sources.get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        if (system == null || !(system.getSource() instanceof Map<?, ?> variables)) {
            return;
        }
        Map<String, String> ours = new HashMap<>();
        variables.forEach((name, value) -> {
            if (String.valueOf(name).startsWith("WEIR_") && value != null) {
                ours.put(String.valueOf(name), value.toString());
            }
        });
        sources.remove(NAME);
        if (ours.isEmpty()) {
            // To know the names of settings, adapters are loaded.
            return;
        }
        Map<String, Object> settings = new HashMap<>();
        NodeSpec.settingsOf(ours, names(sources))
                .forEach((name, value) -> settings.put(
                        name, OriginTrackedValue.of(value, new SystemEnvironmentOrigin(variable(name, ours)))));
        if (!settings.isEmpty()) {
            sources.addBefore(system.getName(), new OriginTrackedMapPropertySource(NAME, settings, true));
        }
    }

    private static Set<String> names(MutablePropertySources sources) {
        Set<String> names = new HashSet<>();
        for (PropertySource<?> source : sources) {
            if (source instanceof EnumerablePropertySource<?> known
                    && !source.getName().equals(NAME)) {
                for (String name : known.getPropertyNames()) {
                    if (name.startsWith(WeirSettings.PREFIX)) {
                        names.add(name);
                    }
                }
            }
        }
        return names;
    }

    private static String variable(String property, Map<String, String> variables) {
        String shape = shape(property);
        return variables.keySet().stream()
                .filter(variable -> shape(variable).equals(shape))
                .findFirst()
                .orElse(property);
    }

    private static String shape(String name) {
        return name.toUpperCase(java.util.Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }
}
