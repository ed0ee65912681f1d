package io.weir.spring.autoconfigure;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * What Boot could not bind, in the words of the one who reads it: a node's settings are refused with what may be
 * written instead. Before Boot's own analyzer of such failures.
 */
final class WeirBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

    private final @Nullable Environment environment;

    WeirBindFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    public int getOrder() {
        return 0;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, BindException cause) {
        if (environment == null || !WeirSettings.isOurs(cause.getName())) {
            return null;
        }
        try {
            WeirSettings settings = WeirSettings.of(environment);
            var unused = NodeSpec.builder()
                    .properties(settings.ofNode(settings.addresses().keySet()))
                    .build();
        } catch (Misconfigured e) {
            return MisconfiguredFailureAnalyzer.analysis(environment, e, root);
        }
        ConfigurationProperty property = cause.getProperty();
        String label = property == null ? cause.getName().toString() : property.getName() + "=" + property.getValue();
        return MisconfiguredFailureAnalyzer.analysis(
                environment,
                new Misconfigured(
                        label + " is not " + wanted(cause.getTarget().getType().resolve(Object.class))),
                root);
    }

    private static String wanted(Class<?> type) {
        if (type == java.time.Duration.class) {
            return "a time; write 500ms, 5s, 2m or 1h";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "a switch; write true or false";
        }
        if (type.isEnum()) {
            StringBuilder words = new StringBuilder();
            for (Object word : type.getEnumConstants()) {
                words.append(words.isEmpty() ? "" : ", ")
                        .append(word.toString().toLowerCase(Locale.ROOT).replace('_', '-'));
            }
            return "what it can be; write one of " + words;
        }
        return Number.class.isAssignableFrom(type) || type.isPrimitive()
                ? "a number; write a whole one"
                : "a value of this setting";
    }
}
