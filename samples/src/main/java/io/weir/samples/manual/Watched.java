package io.weir.samples.manual;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.weir.channel.CallDescription;
import io.weir.channel.CallInterceptor;
import io.weir.channel.CallOutcome;
import io.weir.channel.ContextEntries;
import io.weir.channel.DefaultServerCallConvention;
import io.weir.channel.IncomingCall;
import io.weir.channel.Node;
import io.weir.channel.ServerCallContext;
import io.weir.channel.WeirMetrics;
import io.weir.channel.WeirObservations;
import io.weir.core.ControlData;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Calls that are watched. */
final class Watched {

    private Watched() {}

    static void observe(Node node, MeterRegistry meters) {
        // tag::observations
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));

        node.intercept(new WeirObservations(observations));
        new WeirMetrics(node::stats).bindTo(meters);
        // end::observations
    }

    // tag::convention
    static final class WithTenant extends DefaultServerCallConvention {
        @Override
        public KeyValues getHighCardinalityKeyValues(ServerCallContext call) {
            String tenant = call.control().get("tenant");
            return tenant == null ? KeyValues.empty() : KeyValues.of("tenant", tenant);
        }
    }
    // end::convention

    static Mono<String> tenant(Node node, Mono<String> call) {
        // tag::entries
        node.intercept(ContextEntries.of("tenant"));

        Mono<String> asked = call.contextWrite(context -> context.put("tenant", "acme"));
        // end::entries
        return asked;
    }

    // tag::interceptor
    record Failures(Consumer<String> log) implements CallInterceptor {
        @Override
        public IncomingCall called(CallDescription call, ControlData control) {
            return new IncomingCall() {
                @Override
                public void ended(CallOutcome outcome, @Nullable Throwable error) {
                    if (outcome == CallOutcome.ERROR) {
                        log.accept(call.port() + " has failed for " + call.peer() + ": " + error);
                    }
                }
            };
        }
    }
    // end::interceptor
}
