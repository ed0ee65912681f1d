package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class TypeTextTest {

    private static final String HERE = "io.weir.service.remote.TypeTextTest$";

    enum Colour {
        RED,
        GREEN
    }

    record Leaf(Colour colour, int veins) {}

    record Tree(String name, List<? extends Tree> children, Map<String, Leaf[]> leaves) {}

    @Remote
    interface Gardener {

        Mono<Void> water(Tree tree);

        Mono<Gardener> successor(List<Colour>[] wishes);
    }

    @SuppressWarnings("unused") // Their types are looked at.
    interface Methods {
        String plain();

        int[][] numbers();

        Map<String, List<? extends Leaf>> applied();

        List<String>[] lists();

        List<Colour>[] colours();

        Map.Entry<Colour, Leaf> nested();

        List<? super Leaf> put();

        Page<?> page();

        Shelf<Leaf>.Box box();

        Shelf<Leaf>.Pair<Colour> pair();
    }

    record Page<T extends Leaf & Comparable<T>>(T item) {}

    @SuppressWarnings({"unused", "ClassCanBeStatic"}) // Their types are looked at.
    static class Shelf<T> {
        class Box {}

        class Pair<U> {}
    }

    private static Type of(String method) {
        return Arrays.stream(Methods.class.getMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow()
                .getGenericReturnType();
    }

    private static Map<String, String> definitions(Type type) {
        Map<String, String> definitions = new TreeMap<>();
        TypeText.define(type, definitions);
        return definitions;
    }

    @Test
    void typesHaveTheirFullNames() {
        assertThat(TypeText.of(of("plain"))).isEqualTo("java.lang.String");
        assertThat(TypeText.of(of("numbers"))).isEqualTo("int[][]");
        assertThat(TypeText.of(of("applied")))
                .isEqualTo("java.util.Map<java.lang.String, java.util.List<? extends " + HERE + "Leaf>>");
        assertThat(TypeText.of(of("lists"))).isEqualTo("java.util.List<java.lang.String>[]");
        assertThat(TypeText.of(of("nested"))).isEqualTo("java.util.Map$Entry<" + HERE + "Colour, " + HERE + "Leaf>");
    }

    @Test
    void anInnerTypeKeepsTheArgumentsOfItsOwner() {
        assertThat(TypeText.of(of("box"))).isEqualTo(HERE + "Shelf<" + HERE + "Leaf>$Box");
        assertThat(TypeText.of(of("pair"))).isEqualTo(HERE + "Shelf<" + HERE + "Leaf>$Pair<" + HERE + "Colour>");
        assertThat(definitions(of("box"))).containsOnlyKeys(HERE + "Leaf", HERE + "Colour");
    }

    @Test
    void whatWildcardsAndVariablesAreBoundToIsDefined() {
        assertThat(definitions(of("put"))).containsOnlyKeys(HERE + "Leaf", HERE + "Colour");
        assertThat(definitions(of("page")))
                .containsOnlyKeys(HERE + "Page", HERE + "Leaf", HERE + "Colour")
                .containsEntry(HERE + "Page", "record<T extends " + HERE + "Leaf & java.lang.Comparable<T>>(T item)");
    }

    @Test
    void whatComesOutOfResolvingHasTheSameText() {
        TypeArguments nothing = new TypeArguments(Methods.class);
        for (String each : List.of("plain", "numbers", "lists", "nested", "box", "pair")) {
            assertThat(TypeText.of(nothing.resolve(of(each)))).isEqualTo(TypeText.of(of(each)));
        }
    }

    @Test
    void peopleNeedNoPackages() {
        assertThat(TypeText.brief("java.util.Map<java.lang.String, java.util.List<int[]>>"))
                .isEqualTo("Map<String, List<int[]>>");
        assertThat(TypeText.brief("io.weir_2.v3.Ledger$Entry.find(java.util.List, long)"))
                .isEqualTo("Ledger.Entry.find(List, long)");
        assertThat(TypeText.brief("Ledger.balance()")).isEqualTo("Ledger.balance()");
    }

    @Test
    void recordsAndEnumsAreDefinedAndWhatTheyConsistOf() {
        assertThat(definitions(Leaf.class))
                .containsOnly(
                        Map.entry(HERE + "Leaf", "record(" + HERE + "Colour colour, int veins)"),
                        Map.entry(HERE + "Colour", "enum(RED, GREEN)"));
    }

    @Test
    void whatIsWithinOtherTypesIsDefined() {
        assertThat(definitions(of("applied"))).containsOnlyKeys(HERE + "Leaf", HERE + "Colour");
        assertThat(definitions(of("nested"))).containsOnlyKeys(HERE + "Leaf", HERE + "Colour");
        assertThat(definitions(Leaf[][].class)).containsOnlyKeys(HERE + "Leaf", HERE + "Colour");
        assertThat(definitions(of("colours"))).containsOnlyKeys(HERE + "Colour");
        assertThat(definitions(of("lists"))).isEmpty();
        assertThat(definitions(int.class)).isEmpty();
    }

    @Test
    void aTypeThatLeadsBackToItselfIsDefinedOnce() {
        assertThat(definitions(Tree.class))
                .containsOnlyKeys(HERE + "Tree", HERE + "Leaf", HERE + "Colour")
                .containsEntry(
                        HERE + "Tree",
                        "record(java.lang.String name, java.util.List<? extends " + HERE
                                + "Tree> children, java.util.Map<java.lang.String, " + HERE + "Leaf[]> leaves)");
    }

    @Test
    void remoteInterfacesAreDefinedByTheirMethods() {
        assertThat(definitions(Gardener.class))
                .containsOnlyKeys(HERE + "Gardener", HERE + "Tree", HERE + "Leaf", HERE + "Colour")
                .containsEntry(
                        HERE + "Gardener",
                        "remote(successor(java.util.List<" + HERE + "Colour>[]): reactor.core.publisher.Mono<" + HERE
                                + "Gardener>, water(" + HERE
                                + "Tree): reactor.core.publisher.Mono<java.lang.Void>)");
    }

    @Test
    void partsAreListed() {
        assertThat(TypeText.list(Stream.of("a", "b"))).isEqualTo("(a, b)");
        assertThat(TypeText.list(Stream.of())).isEqualTo("()");
    }
}
