package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InvalidObjectException;
import java.io.Serializable;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nothing here is asked for its hash code: the tests would not end. */
class HashWorkTest {

    private static final int LEVELS = 100;

    private final HashWork work = new HashWork();

    /** Completes objects that are made of each other, each of the one before. */
    private void complete(Object first, UnaryOperator<Object> next) throws InvalidObjectException {
        Object each = first;
        for (int i = 0; i < LEVELS; i++) {
            work.complete(each);
            each = next.apply(each);
        }
    }

    private record Pair(@Nullable Object one, @Nullable Object other) implements Serializable {}

    /** Its fields are those of its parent. */
    private static final class Child extends Parent {

        private static final long serialVersionUID = 1L;

        Child(Object one, Object other) {
            super(one, other);
        }
    }

    @SuppressWarnings({"serial", "UnusedVariable"}) // Nothing is written, and nobody else reads it.
    private abstract static class Parent implements Serializable {

        private static final long serialVersionUID = 1L;

        final Object one;
        final Object other;
        transient @Nullable Object forgotten;

        Parent(Object one, Object other) {
            this.one = one;
            this.other = other;
        }

        @Override
        public boolean equals(@Nullable Object object) {
            return object == this;
        }

        /** A class that has its own may ask its fields. */
        @Override
        public int hashCode() {
            return 1;
        }
    }

    private static List<Object> twice(Object element) {
        return Arrays.asList(element, element);
    }

    @Test
    void whatTakesTwiceAsLongWithEachLevelIsRefused() {
        assertThatThrownBy(() -> complete("a", HashWorkTest::twice))
                .isInstanceOf(InvalidObjectException.class)
                .hasMessageContaining(Arrays.asList().getClass().getName())
                .hasMessageContaining("again and again");
    }

    @Test
    void keysAndValuesOfMapsCount() {
        assertThatThrownBy(() -> complete("a", value -> {
                    Map<Object, Object> map = new HashMap<>();
                    map.put("one", value);
                    map.put("other", value);
                    return map;
                }))
                .isInstanceOf(InvalidObjectException.class);
        // A tree, because it does not ask for hash codes, and takes the same key twice.
        assertThatThrownBy(() -> complete("a", key -> {
                    Map<Object, Object> map = new TreeMap<>((one, other) -> one == other ? 1 : -1);
                    map.put(key, "one");
                    map.put(key, "other");
                    return map;
                }))
                .isInstanceOf(InvalidObjectException.class);
    }

    @Test
    void whatIsInTheFieldsOfOtherClassesCounts() {
        assertThatThrownBy(() -> complete("a", each -> new Pair(each, each)))
                .isInstanceOf(InvalidObjectException.class);
        assertThatThrownBy(() -> complete("a", each -> new Child(each, each)))
                .isInstanceOf(InvalidObjectException.class);
    }

    @Test
    void whatIsThereOnceMayBeDeep() {
        assertThatCode(() -> complete("a", each -> new Pair(each, null))).doesNotThrowAnyException();
        assertThatCode(() -> complete("a", Arrays::asList)).doesNotThrowAnyException();
    }

    /** An array has the hash code of an object, whatever is in it. */
    @Test
    void whatIsInArraysIsNotAsked() {
        assertThatCode(() -> complete("a", each -> new Object[] {each, each})).doesNotThrowAnyException();
    }

    @Test
    void whatIsNotInTheStreamDoesNotCount() {
        assertThatCode(() -> complete("a", each -> {
                    Child child = new Child("b", each);
                    child.forgotten = each;
                    return child;
                }))
                .doesNotThrowAnyException();
    }

    @Test
    void manyElementsAreFair() throws InvalidObjectException {
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            Set<Object> row = new HashSet<>(Set.of("row", i));
            work.complete(row);
            rows.add(row);
        }
        work.complete(rows);
        // The same list in a few places.
        assertThatCode(() -> {
                    work.complete(twice(rows));
                    work.complete(new Pair(rows, rows));
                })
                .doesNotThrowAnyException();
        assertThat(rows).hasSize(10_000);
    }

    /** A reference back to a collection that is still being read: a set of what has it asks it again and again. */
    @Test
    void whatIsInACollectionThatIsNotCompleteCounts() throws InvalidObjectException {
        List<Object> unfinished = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Object element = List.of(i, "x");
            work.complete(element);
            unfinished.add(element);
        }
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        work.complete(List.of(unfinished, i));
                    }
                })
                .isInstanceOf(InvalidObjectException.class);
    }

    @Test
    void aCollectionThatContainsItselfIsRefused() {
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        assertThatThrownBy(() -> work.complete(List.of(itself, "x"))).isInstanceOf(InvalidObjectException.class);
    }

    /** Also one that is complete, and takes no more by itself than is fair. */
    @Test
    void whatIsInManyOthersCountsAsOften() throws InvalidObjectException {
        List<Object> shared = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            shared.add(i);
        }
        work.complete(shared);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        work.complete(List.of(shared, i));
                    }
                })
                .isInstanceOf(InvalidObjectException.class);
    }

    @Test
    void entriesOfMapsCountByThemselves() {
        assertThatThrownBy(() -> complete("a", each -> new AbstractMap.SimpleEntry<>(each, each)))
                .isInstanceOf(InvalidObjectException.class);
    }

    /** As constructors of records do. */
    @Test
    void copiesThatAClassMakesOfItsCollectionsAreFair() {
        assertThatCode(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        List<Object> read = new ArrayList<>(List.of(1, 2, 3, 4));
                        work.complete(read);
                        work.complete(new Pair(List.copyOf(read), Map.of("a", List.of(i))));
                    }
                })
                .doesNotThrowAnyException();
    }

    /** Objects of classes without a hash code of their own, which are most that are in each other in circles. */
    @Test
    void whatHasItsIdentityAsHashCodeIsNotLookedInto() {
        assertThatCode(() -> complete("a", Named::new)).doesNotThrowAnyException();
    }

    @SuppressWarnings({"serial", "UnusedVariable"}) // Nothing is written, and nobody else reads it.
    private static final class Named implements Serializable {

        private static final long serialVersionUID = 1L;

        final Object one;
        final Object same;

        Named(Object one) {
            this.one = one;
            this.same = one;
        }
    }
}
