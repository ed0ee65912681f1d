package io.weir.integration.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.weir.channel.Node;
import io.weir.channel.WeirObservations;
import io.weir.integration.Ledger;
import io.weir.integration.Nodes;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.observation.Spans.Span;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Two connected nodes whose calls are observed by one tracer. */
record Traced(Pair pair, TestObservationRegistry near, TestObservationRegistry far, Spans spans) {

    static Traced open(Nodes nodes) {
        return of(nodes.pair());
    }

    static Traced of(Pair pair) {
        Spans spans = new Spans();
        return new Traced(pair, observed(pair.near(), spans), observed(pair.far(), spans), spans);
    }

    private static TestObservationRegistry observed(Node node, Spans spans) {
        TestObservationRegistry registry = TestObservationRegistry.create();
        registry.observationConfig().observationHandler(spans);
        node.intercept(new WeirObservations(registry));
        return registry;
    }

    Ledger ledger(Ledger books) {
        return ledger(books, ExportOptions.standard());
    }

    Ledger ledger(Ledger books, ExportOptions options) {
        var unused = new Interfaces(pair.far()).export("ledger", Ledger.class, books, options);
        return new Interfaces(pair.near()).proxy(Ledger.class, pair.peer(), "ledger", ProxyOptions.standard());
    }

    /** An observation of the far node, as code that runs on this thread makes them. */
    void mark(String name) {
        Observation.start(name, far).stop();
    }

    /** An observation of the far node, as code in a pipeline makes them. */
    void mark(String name, ContextView context) {
        Observation parent = context.get(ObservationThreadLocalAccessor.KEY);
        Observation.createNotStarted(name, far)
                .parentObservation(parent)
                .start()
                .stop();
    }

    /** The only call of the near node with this key. */
    Span client(String key, String value) {
        return only("weir.client.calls", key, value);
    }

    /** The only call that the far node answers with this key, when it has ended. */
    Span server(String key, String value) {
        Patience.until(
                () -> "the server has " + key + ' ' + value + ": " + spans.all(),
                () -> spans.of("weir.server.calls", key, value).stream().anyMatch(Span::isOver));
        return only("weir.server.calls", key, value);
    }

    private Span only(String name, String key, String value) {
        List<Span> found = spans.of(name, key, value);
        assertThat(found).as(name + ' ' + value).hasSize(1);
        return found.get(0);
    }

    /** What the caller sees and what the other side sees are one call, and have ended so. */
    void assertCall(String key, String value, String client, String server) {
        assertThat(client(key, value).outcome()).isEqualTo(client);
        assertThat(server(key, value).outcome()).isEqualTo(server);
        assertThat(server(key, value).parent()).isEqualTo(client(key, value).id());
    }

    /** Nothing goes on, and nothing has ended twice. */
    void assertAllOver() {
        Patience.until(
                () -> "all calls are over: " + spans.all(),
                () -> spans.all().stream().allMatch(Span::isOver));
        assertThat(spans.all()).allMatch(span -> span.ends().get() == 1);
        TestObservationRegistryAssert.assertThat(near).doesNotHaveAnyRemainingCurrentObservation();
        TestObservationRegistryAssert.assertThat(far).doesNotHaveAnyRemainingCurrentObservation();
    }

    static <T> T await(Mono<T> mono) {
        return java.util.Objects.requireNonNull(mono.block(Patience.LIMIT));
    }
}
