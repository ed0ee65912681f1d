package io.weir.integration.observation;

import static io.weir.integration.observation.Traced.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.ExceptionEventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.weir.channel.Node;
import io.weir.channel.WeirObservations;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What OpenTelemetry and a registry of meters make of calls. */
class TracedCallsTest implements OnRoute {

    private static final Codec<String> TEXT = Codecs.text();

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry registry = registry();

    private ObservationRegistry registry() {
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build();
        Tracer tracer = provider.get("weir");
        OtelTracer bridged = new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {});
        OtelPropagator propagator =
                new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer);
        ObservationRegistry observing = ObservationRegistry.create();
        observing
                .observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        new PropagatingSenderTracingObservationHandler<>(bridged, propagator),
                        new PropagatingReceiverTracingObservationHandler<>(bridged, propagator),
                        new DefaultTracingObservationHandler(bridged)))
                .observationHandler(new DefaultMeterObservationHandler(meters));
        return observing;
    }

    private Pair pair(Nodes nodes) {
        Pair pair = nodes.pair();
        for (Node node : List.of(pair.near(), pair.far())) {
            node.intercept(new WeirObservations(registry));
        }
        return pair;
    }

    @Test
    void aCallThatSucceedsIsNoError(Nodes nodes) {
        Pair pair = pair(nodes);
        pair.far().answer("echo", TEXT, TEXT, Mono::just);

        assertThat(await(pair.peer().ask("echo", "a", TEXT, TEXT))).isEqualTo("a");

        SpanData client = span(SpanKind.CLIENT);
        SpanData server = span(SpanKind.SERVER);
        for (SpanData span : List.of(client, server)) {
            assertThat(span.getStatus().getStatusCode()).as(span.toString()).isNotEqualTo(StatusCode.ERROR);
            assertThat(span.getEvents()).as(span.toString()).isEmpty();
        }
        assertThat(server.getParentSpanId()).isEqualTo(client.getSpanId());
        assertThat(server.getTraceId()).isEqualTo(client.getTraceId());
        assertTimed("none", "success");
    }

    @Test
    void aCallThatFailsHasItsException(Nodes nodes) {
        Pair pair = pair(nodes);
        IllegalStateException reason = new IllegalStateException("out of paper");
        pair.far().answer("print", TEXT, TEXT, text -> Mono.error(reason));

        assertThatThrownBy(() -> await(pair.peer().ask("print", "a", TEXT, TEXT)))
                .isInstanceOf(RemoteFailure.class);

        assertThat(thrown(span(SpanKind.CLIENT))).isInstanceOf(RemoteFailure.class);
        assertThat(thrown(span(SpanKind.SERVER))).isSameAs(reason);
        assertTimed("RemoteFailure", "error");
    }

    private SpanData span(SpanKind kind) {
        Patience.until(
                "a span of the " + kind,
                () -> spans.getFinishedSpanItems().stream().anyMatch(span -> span.getKind() == kind));
        List<SpanData> found = spans.getFinishedSpanItems().stream()
                .filter(span -> span.getKind() == kind)
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static Throwable thrown(SpanData span) {
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getEvents()).hasSize(1).allMatch(ExceptionEventData.class::isInstance);
        return ((ExceptionEventData) span.getEvents().get(0)).getException();
    }

    private void assertTimed(String error, String outcome) {
        assertThat(meters.get("weir.client.calls")
                        .tags("error", error, "outcome", outcome)
                        .timer()
                        .totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
    }
}
