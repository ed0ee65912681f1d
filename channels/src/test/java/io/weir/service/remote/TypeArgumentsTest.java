package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TypeArgumentsTest {

    interface Store<K, V> {

        K key();

        V value();

        Map<K, List<? extends V>> all();

        V[] array();

        List<V>[] lists();

        <X> List<X> any(X one);

        String plain();
    }

    interface ByName<T> extends Store<String, List<T>> {}

    interface Numbers extends Runnable, ByName<Integer> {}

    @SuppressWarnings("rawtypes") // As somebody may write it.
    interface Raw extends Store {}

    interface Expected {

        List<Integer> value();

        Map<String, List<List<Integer>>> all();

        List<Integer>[] array();

        Map.Entry<String, Integer> entry();

        Shelf<String>.Box<Integer> box();
    }

    @SuppressWarnings({"unused", "ClassCanBeStatic"}) // Its types are looked at.
    static class Shelf<T> {
        class Box<U> {}
    }

    interface Wild {

        List<? super Integer> put();

        Numbered<?> any();

        Numbered<? super Integer> most();

        Numbered<? extends Integer> some();

        Enum<?> itself();
    }

    interface Numbered<T extends Number> {}

    interface Names extends Store<String, String> {}

    private static Type type(Class<?> of, String method) {
        return Arrays.stream(of.getMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow()
                .getGenericReturnType();
    }

    private static Type resolved(Class<?> type, String method) {
        return new TypeArguments(type).resolve(type(Store.class, method));
    }

    @Test
    void aVariableIsWhatTheInterfaceSaysOrOneBetween() {
        assertThat(resolved(Numbers.class, "key")).isEqualTo(String.class);
        assertThat(resolved(Numbers.class, "value")).isEqualTo(type(Expected.class, "value"));
        assertThat(resolved(Names.class, "value")).isEqualTo(String.class);
        assertThat(resolved(Names.class, "plain")).isEqualTo(String.class);
    }

    @Test
    void wildcardsAreWhatTheyExtend() {
        assertThat(resolved(Numbers.class, "all")).isEqualTo(type(Expected.class, "all"));
    }

    @Test
    void anUnboundedWildcardBecomesTheBoundOfItsVariable() {
        TypeArguments nothing = new TypeArguments(Wild.class);
        String here = Numbered.class.getName().replace("$Numbered", "") + '$';
        Map.of(
                        "put", "java.util.List<java.lang.Object>",
                        "any", here + "Numbered<java.lang.Number>",
                        "most", here + "Numbered<java.lang.Number>",
                        "some", here + "Numbered<java.lang.Integer>",
                        "itself", "java.lang.Enum<java.lang.Enum>")
                .forEach((method, expected) ->
                        assertThat(nothing.resolve(type(Wild.class, method))).hasToString(expected));
    }

    @Test
    void arraysOfVariablesAreArraysOfWhatTheseAre() {
        assertThat(resolved(Names.class, "array")).isEqualTo(String[].class);
        assertThat(resolved(Numbers.class, "array"))
                .isInstanceOfSatisfying(
                        GenericArrayType.class,
                        array -> assertThat(array.getGenericComponentType()).isEqualTo(type(Expected.class, "value")));
        assertThat(resolved(Names.class, "lists").getTypeName()).isEqualTo("java.util.List<java.lang.String>[]");
    }

    @Test
    void whatNobodySaysIsRefused() {
        for (Class<?> each : List.of(Raw.class, Store.class)) {
            assertThatThrownBy(() -> resolved(each, "value"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("V")
                    .hasMessageContaining(Store.class.getName());
        }
        assertThatThrownBy(() -> resolved(ByName.class, "value")).hasMessageContaining("T");
        assertThatThrownBy(() -> resolved(Numbers.class, "any")).hasMessageContaining("X");
    }

    /** Sets and maps of types hold those of the JVM and these. */
    @Test
    void aTypeIsEqualToThatOfTheJvm() {
        TypeArguments nothing = new TypeArguments(Expected.class);
        for (String each : List.of("value", "all", "entry", "box")) {
            Type jvm = type(Expected.class, each);
            Type ours = nothing.resolve(jvm);
            assertThat(ours).isNotSameAs(jvm).isEqualTo(jvm).hasSameHashCodeAs(jvm);
            assertThat(jvm).isEqualTo(ours);
        }
        assertThat(nothing.resolve(type(Expected.class, "value")))
                .isNotEqualTo(type(Expected.class, "all"))
                .isNotEqualTo(List.class);
    }

    @Test
    void itsArgumentsCanNotBeChanged() {
        ParameterizedType type = (ParameterizedType) resolved(Numbers.class, "value");
        type.getActualTypeArguments()[0] = String.class;
        assertThat(type.getActualTypeArguments()).containsExactly(Integer.class);
    }

    @Test
    void erasedTypesAreThoseOfTheJvm() throws NoSuchMethodException {
        assertThat(TypeArguments.erased(type(Expected.class, "all"))).isEqualTo(Map.class);
        assertThat(TypeArguments.erased(type(Expected.class, "array"))).isEqualTo(List[].class);
        assertThat(TypeArguments.erased(resolved(Numbers.class, "array"))).isEqualTo(List[].class);
        assertThat(TypeArguments.erased(int.class)).isEqualTo(int.class);
    }
}
