package io.weir.config;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One setting of a node: a row of the table {@link NodeSettings}. Immutable. */
sealed interface NodeSetting<T> {

    /** The property. */
    String name();

    Form<T> form();

    /** Its value in a spec; yields null where there is none. */
    Function<NodeSpec, T> of();

    NodeSpec.Builder put(NodeSpec.Builder builder, T value);

    /** The builder with the value of this text. */
    default NodeSpec.Builder read(NodeSpec.Builder builder, Setting setting) {
        return put(builder, form().read().apply(setting));
    }

    /**
     * The property and its value, as one writes them; null if the value is that of the other spec, or there is none.
     */
    default @Nullable String difference(NodeSpec spec, NodeSpec other) {
        T value = of().apply(spec);
        return value == null || Objects.equals(value, of().apply(other))
                ? null
                : name() + '=' + form().write().apply(value);
    }

    /**
     * How a value is read from a text and written to one.
     *
     * @param read from a setting; refuses a text that is none
     * @param write so that {@code read} understands it, but for secrets
     */
    record Form<T>(Function<Setting, T> read, Function<T, String> write) {}

    /**
     * One that stands for itself.
     *
     * @param standard its value where nothing was said; it may depend on what was said for other settings
     * @param rule refuses a value that can't be used, by a {@link io.weir.core.Misconfigured} that names the property
     */
    record Value<T>(
            String name,
            Form<T> form,
            Function<NodeSpec.Builder, T> standard,
            Function<NodeSpec, T> of,
            Consumer<T> rule)
            implements NodeSetting<T> {

        @Override
        public NodeSpec.Builder put(NodeSpec.Builder builder, T value) {
            return builder.set(this, value);
        }

        /** Refuses a value that can't be used. */
        void check(T value) {
            rule.accept(value);
        }
    }

    /**
     * One of a part that has a default as a whole, such as TLS.
     *
     * @param into gives a builder this value
     */
    record Part<T>(
            String name, Form<T> form, Function<NodeSpec, T> of, BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into)
            implements NodeSetting<T> {

        @Override
        public NodeSpec.Builder put(NodeSpec.Builder builder, T value) {
            return into.apply(builder, value);
        }
    }
}
