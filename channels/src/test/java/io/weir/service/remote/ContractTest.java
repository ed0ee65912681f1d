package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Misconfigured;
import io.weir.core.ProtocolMismatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ContractTest {

    private static Contract contract(Class<?> type) {
        // References are needed by interfaces that pass some; none of these does.
        @SuppressWarnings("NullAway")
        Terms terms = new Terms(CallCodecs.cbor(), null, null, false, ProxyOptions.standard(), null);
        return terms.contract(type);
    }

    record Leaf(String name) {}

    record Tree(List<? extends Tree> children, Map<String, Leaf[]> leaves, Optional<Colour> colour) {}

    enum Colour {
        RED,
        BLUE
    }

    interface Forest extends Plants<Tree> {

        Mono<Tree> tree(int number);

        Flux<Tree> plant(Publisher<Leaf> leaves, Map<String, Colour> colours);

        @Override
        String toString();

        default int size() {
            return 1;
        }

        static int other() {
            return 2;
        }
    }

    interface Plants<P> {

        Mono<P> any();

        List<P[]> rows();
    }

    @Test
    void methodsAreNumberedByTheirKeys() {
        assertThat(contract(Forest.class).methods())
                .extracting(ContractMethod::toString)
                .containsExactly(
                        "ContractTest.Forest.any()",
                        "ContractTest.Forest.plant(Publisher, Map)",
                        "ContractTest.Forest.rows()",
                        "ContractTest.Forest.tree(int)");
        assertThat(contract(Forest.class).methods().get(2).signature())
                .isEqualTo("rows(): java.util.List<io.weir.service.remote.ContractTest$Tree[]>");
    }

    @Test
    void whatIsBehindATypeIsKnownThoughItLeadsBackToItself() {
        assertThat(contract(Forest.class).methods().get(0).definitions())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        Tree.class.getName(),
                        "record(java.util.List<? extends io.weir.service.remote.ContractTest$Tree> children,"
                                + " java.util.Map<java.lang.String, io.weir.service.remote.ContractTest$Leaf[]> leaves,"
                                + " java.util.Optional<io.weir.service.remote.ContractTest$Colour> colour)",
                        Leaf.class.getName(),
                        "record(java.lang.String name)",
                        Colour.class.getName(),
                        "enum(RED, BLUE)"));
    }

    interface TwoStreams {
        Flux<String> join(Flux<String> one, Flux<String> two);
    }

    interface MonoArgument {
        Flux<String> take(Mono<String> one);
    }

    interface FutureResult {
        Future<String> get();
    }

    interface RawMono {
        @SuppressWarnings("rawtypes")
        Mono get();
    }

    interface OwnVariable {
        <T> Mono<T> get(String name);
    }

    interface Nested {
        Mono<Flux<String>> get();
    }

    interface OddDeadline {
        @Deadline("soon")
        void run();
    }

    interface Empty {}

    @Test
    void whatCanNotBeCalledIsRefusedByName() {
        refused(TwoStreams.class, "join(Flux, Flux)", "two streams");
        refused(MonoArgument.class, "take(Mono)", "can't be passed");
        refused(FutureResult.class, "get()", "Future");
        refused(RawMono.class, "get()", "nothing in particular");
        refused(OwnVariable.class, "get", "nothing says what T");
        refused(Plants.class, "nothing says what P");
        refused(Nested.class, "get()", "can't be passed");
        refused(OddDeadline.class, "run()", "'soon' is not a time");
        refused(Empty.class, "Empty", "no method");
        refused(String.class, "String", "no interface");
    }

    private static void refused(Class<?> type, String... texts) {
        assertThatThrownBy(() -> contract(type))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(type.getName())
                .hasMessageContainingAll(texts);
    }

    interface Old {
        Mono<Long> size(String name);

        Mono<Leaf> leaf();

        void gone();
    }

    @Test
    void aDescriptionCrossesTheWire() {
        Description description = Description.of(contract(Forest.class));
        ByteBuf wire = Unpooled.buffer();
        description.write(wire);

        Description read = Description.read(wire);

        assertThat(read).isEqualTo(description);
        assertThat(read.numbersOf(contract(Forest.class), "far")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void differencesAreToldWithTheMethod() {
        Contract ours = contract(Old.class);
        List<Description.Entry> theirs = List.of(
                new Description.Entry("another()", "another(): void"),
                new Description.Entry("leaf()", ours.methods().get(1).signature()),
                new Description.Entry("size(java.lang.String)", "size(java.lang.String): java.lang.Long"));
        Map<String, String> definitions = Map.of(Leaf.class.getName(), "record(java.lang.String name, int age)");

        assertThatThrownBy(() ->
                        new Description(Old.class.getName(), "cbor", theirs, definitions).numbersOf(ours, "far-1"))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("ContractTest.Old.size(String): size(String): Mono<Long> here, and"
                        + " size(String): Long at far-1")
                .hasMessageContaining("ContractTest.Old.leaf() uses ContractTest.Leaf: record(String name) here, and"
                        + " record(String name, int age) at far-1");
        assertThatThrownBy(() ->
                        new Description(Old.class.getName(), "json", theirs, definitions).numbersOf(ours, "far-1"))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("in json");
    }

    @Test
    void whatTheOtherSideLacksIsNoDifference() {
        Contract ours = contract(Old.class);
        List<Description.Entry> theirs = List.of(
                new Description.Entry("zero()", "zero(): void"),
                new Description.Entry("leaf()", ours.methods().get(1).signature()));
        Map<String, String> definitions = ours.methods().get(1).definitions();

        assertThat(new Description(Old.class.getName(), "cbor", theirs, definitions).numbersOf(ours, "far"))
                .containsExactly(-1, 1, -1);
    }
}
