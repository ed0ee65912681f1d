package io.weir.integration.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes spans of observations, and passes them on from node to node, as a tracer does. */
final class Spans implements ObservationHandler<Observation.Context> {

    private static final String HEADER = "span";

    private final AtomicInteger latest = new AtomicInteger();
    private final Queue<Span> all = new ConcurrentLinkedQueue<>();

    /**
     * What was observed.
     *
     * @param parent 0: none
     */
    record Span(int id, int parent, Observation.Context context, AtomicInteger ends) {

        String key(String name) {
            return Objects.requireNonNull(context.getLowCardinalityKeyValue(name), name)
                    .getValue();
        }

        String outcome() {
            Throwable error = context.getError();
            return key("outcome")
                    + ' '
                    + (error == null ? "none" : error.getClass().getSimpleName());
        }

        boolean isOver() {
            return ends.get() > 0;
        }

        @Override
        public String toString() {
            return context.getName() + ' ' + id + " of " + parent + ", ended " + ends + " times: "
                    + context.getLowCardinalityKeyValues();
        }
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStart(Observation.Context context) {
        int id = latest.incrementAndGet();
        Span span = new Span(id, parent(context), context, new AtomicInteger());
        context.put(Span.class, span);
        all.add(span);
        if (context instanceof SenderContext<?> sender) {
            inject(sender, id);
        }
    }

    private static int parent(Observation.Context context) {
        if (context instanceof ReceiverContext<?> receiver) {
            String sent = extract(receiver);
            return sent == null ? 0 : Integer.parseInt(sent);
        }
        ObservationView parent = context.getParentObservation();
        return parent == null
                ? 0
                : Objects.requireNonNull((Span) parent.getContextView().get(Span.class)).id;
    }

    private static <C> void inject(SenderContext<C> context, int id) {
        context.getSetter().set(context.getCarrier(), HEADER, Integer.toString(id));
    }

    private static <C> @Nullable String extract(ReceiverContext<C> context) {
        return context.getGetter().get(Objects.requireNonNull(context.getCarrier()), HEADER);
    }

    @Override
    public void onStop(Observation.Context context) {
        Objects.requireNonNull((Span) context.get(Span.class)).ends.incrementAndGet();
    }

    List<Span> all() {
        return List.copyOf(all);
    }

    /** Those of this name whose key has this value. */
    List<Span> of(String name, String key, String value) {
        return all.stream()
                .filter(span -> name.equals(span.context.getName()))
                .filter(span -> span.key(key).equals(value))
                .toList();
    }

    /** Those of this name, which is no call's. */
    Span of(String name) {
        return all.stream()
                .filter(span -> name.equals(span.context.getName()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + all));
    }
}
