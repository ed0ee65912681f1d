package io.weir.benchmark.contender;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Watches calls as a service does: meters, and spans that are passed on as W3C's trace context, and reported to nobody. */
final class Watcher implements ObservationHandler<Observation.Context> {

    private static final HexFormat HEX = HexFormat.of();
    private static final String HEADER = "traceparent";

    private volatile long reported;

    private record Span(long high, long low, long id, long parent, long begun) {

        private static Span child(@Nullable Span of) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long id = random.nextLong();
            return of == null
                    ? new Span(random.nextLong(), random.nextLong(), id, 0, System.nanoTime())
                    : new Span(of.high, of.low, id, of.id, System.nanoTime());
        }

        private String header() {
            return "00-" + HEX.toHexDigits(high) + HEX.toHexDigits(low) + '-' + HEX.toHexDigits(id) + "-01";
        }

        private static @Nullable Span of(@Nullable String header) {
            return header == null || header.length() != 55
                    ? null
                    : new Span(
                            HexFormat.fromHexDigitsToLong(header, 3, 19),
                            HexFormat.fromHexDigitsToLong(header, 19, 35),
                            HexFormat.fromHexDigitsToLong(header, 36, 52),
                            0,
                            0);
        }
    }

    static ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(new SimpleMeterRegistry()))
                .observationHandler(new Watcher());
        return registry;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStart(Observation.Context context) {
        ObservationView parent = context.getParentObservation();
        Span above = context instanceof ReceiverContext<?> receiver
                ? Span.of(extracted(receiver))
                : parent == null ? null : parent.getContextView().get(Span.class);
        Span span = Span.child(above);
        context.put(Span.class, span);
        if (context instanceof SenderContext<?> sender) {
            inject(sender, span);
        }
    }

    private static <C> @Nullable String extracted(ReceiverContext<C> context) {
        C carrier = context.getCarrier();
        return carrier == null ? null : context.getGetter().get(carrier, HEADER);
    }

    private static <C> void inject(SenderContext<C> context, Span span) {
        context.getSetter().set(context.getCarrier(), HEADER, span.header());
    }

    @Override
    public void onStop(Observation.Context context) {
        Span span = context.get(Span.class);
        if (span != null) {
            reported = System.nanoTime()
                    - span.begun
                    + context.getAllKeyValues().stream().count();
        }
    }

    /** So that it is not for nothing. */
    @Override
    public String toString() {
        return "the latest span: " + reported;
    }
}
