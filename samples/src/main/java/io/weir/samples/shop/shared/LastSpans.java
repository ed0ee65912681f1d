package io.weir.samples.shop.shared;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.List;
import java.util.concurrent.LinkedBlockingDeque;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The latest spans, at {@code /actuator/spans}: what an exporter would send to whoever collects traces. */
@Endpoint(id = "spans")
public class LastSpans implements SpanProcessor {

    private static final int KEPT = 500;

    /** One of them; the parent's id is all zeros where the trace begins. */
    public record Span(String name, String kind, String traceId, String spanId, String parentSpanId) {}

    private final LinkedBlockingDeque<Span> latestFirst = new LinkedBlockingDeque<>(KEPT);

    /** They, the latest first. */
    @ReadOperation
    public List<Span> spans() {
        return List.copyOf(latestFirst);
    }

    @Override
    public void onEnd(ReadableSpan ended) {
        Span span = new Span(
                ended.getName(),
                ended.getKind().name(),
                ended.getSpanContext().getTraceId(),
                ended.getSpanContext().getSpanId(),
                ended.getParentSpanContext().getSpanId());
        while (!latestFirst.offerFirst(span)) {
            latestFirst.pollLast();
        }
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan started) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }
}
