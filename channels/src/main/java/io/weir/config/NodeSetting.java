package io.weir.config;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One setting of a node: a row of the table {@link NodeSettings}. Immutable.
 *
 * @param name the property
 * @param form how its value is read and written
 * @param of its value in a spec
 * @param into gives a builder this value
 * @param rule refuses a value that can't be used, by a {@link io.weir.core.Misconfigured} that names the property
 */
record NodeSetting<T>(
        String name,
        Form<T> form,
        Function<NodeSpec, T> of,
        BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into,
        Consumer<T> rule) {

    /**
     * How a value is read from a text and written to one.
     *
     * @param read from a setting; refuses a text that is none
     * @param write so that {@code read} understands it
     */
    record Form<T>(Function<Setting, T> read, Function<T, String> write) {}

    /** The builder with the value of this text. */
    NodeSpec.Builder read(NodeSpec.Builder builder, Setting setting) {
        return into.apply(builder, form.read().apply(setting));
    }

    /** Refuses a value that can't be used. */
    void check(T value) {
        rule.accept(value);
    }

    /** The property and its value, as one writes them; null if the value is that of the other spec. */
    @Nullable
    String difference(NodeSpec spec, NodeSpec other) {
        T value = of.apply(spec);
        return Objects.equals(value, of.apply(other))
                ? null
                : name + '=' + form.write().apply(value);
    }
}
