package io.weir.channel;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.weir.core.ControlData;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Observes the calls of a node with Micrometer, as {@link CallObservation} describes: times, and traces that reach
 * from one node to the next, if the registry's handlers make them: {@code node.intercept(new
 * WeirObservations(registry))}.
 *
 * <p>The parent of a call is the observation in the subscriber's Reactor context, else that of the thread on which it
 * subscribes. What answers a call finds its observation on the thread while the handler runs, and in the Reactor
 * context of what the handler returns. With a registry that observes nothing, it does nothing.
 */
public final class WeirObservations implements CallInterceptor {

    private static final ObservationConvention<ClientCallContext> CLIENT = new DefaultClientCallConvention();
    private static final ObservationConvention<ServerCallContext> SERVER = new DefaultServerCallConvention();

    private final ObservationRegistry registry;
    private final @Nullable ObservationConvention<ClientCallContext> client;
    private final @Nullable ObservationConvention<ServerCallContext> server;
    private final PeerNames names = new PeerNames();

    /** With the conventions of the registry, or else the default ones. */
    public WeirObservations(ObservationRegistry registry) {
        this(registry, null, null);
    }

    /**
     * With conventions of one's own.
     *
     * @param client null: that of the registry, or else {@link DefaultClientCallConvention}
     * @param server null: that of the registry, or else {@link DefaultServerCallConvention}
     */
    public WeirObservations(
            ObservationRegistry registry,
            @Nullable ObservationConvention<ClientCallContext> client,
            @Nullable ObservationConvention<ServerCallContext> server) {
        this.registry = registry;
        this.client = client;
        this.server = server;
    }

    @Override
    public @Nullable OutgoingCall calling(CallDescription call, ContextView context) {
        if (registry.isNoop()) {
            return null;
        }
        ClientCallContext observed = new ClientCallContext(names, call);
        Observation observation = CallObservation.CLIENT.observation(client, CLIENT, () -> observed, registry);
        if (observation.isNoop()) {
            return null;
        }
        Object parent = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
        if (parent instanceof Observation it) {
            observation.parentObservation(it);
        }
        return new Outgoing(observation.start(), observed);
    }

    @Override
    public @Nullable IncomingCall called(CallDescription call, ControlData control) {
        if (registry.isNoop()) {
            return null;
        }
        ServerCallContext observed = new ServerCallContext(names, call, control);
        Observation observation = CallObservation.SERVER.observation(server, SERVER, () -> observed, registry);
        return observation.isNoop() ? null : new Incoming(observation.start(), observed);
    }

    private static void stop(Observation observation, @Nullable Throwable error) {
        if (error != null) {
            observation.error(error);
        }
        observation.stop();
    }

    private record Outgoing(Observation observation, ClientCallContext observed) implements OutgoingCall {

        @Override
        public ControlData sending(CallDescription call, ControlData control) {
            observed.know(call);
            return observed.addedTo(control);
        }

        @Override
        public Context context(Context context) {
            return context.put(ObservationThreadLocalAccessor.KEY, observation);
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            observed.ended(outcome);
            stop(observation, error);
        }
    }

    private record Incoming(Observation observation, ServerCallContext observed) implements IncomingCall {

        @Override
        public Scope open() {
            return observation.openScope()::close;
        }

        @Override
        public Context context(Context context) {
            return context.put(ObservationThreadLocalAccessor.KEY, observation);
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            observed.ended(outcome);
            stop(observation, error);
        }
    }
}
