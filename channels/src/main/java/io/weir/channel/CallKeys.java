package io.weir.channel;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The tags that distinguish the observations of both sides. Micrometer asks when an observation starts and when it
 * stops, and keeps the answers: so each key is given once, and in the order of their names, which saves a third of what
 * an observation costs. What a call failed by is not among them: a tracer takes any value of a key named {@code error}
 * for a failure, and other handlers add it themselves.
 */
final class CallKeys {

    private static final KeyValue TELL = CallObservation.Key.KIND.withValue(CallKind.TELL.label());
    private static final KeyValue ASK = CallObservation.Key.KIND.withValue(CallKind.ASK.label());
    private static final KeyValue STREAM = CallObservation.Key.KIND.withValue(CallKind.STREAM.label());
    private static final KeyValue EXCHANGE = CallObservation.Key.KIND.withValue(CallKind.EXCHANGE.label());
    private static final KeyValue SUCCESS = CallObservation.Key.OUTCOME.withValue(CallOutcome.SUCCESS.label());
    private static final KeyValue ERROR = CallObservation.Key.OUTCOME.withValue(CallOutcome.ERROR.label());
    private static final KeyValue CANCELLED = CallObservation.Key.OUTCOME.withValue(CallOutcome.CANCELLED.label());
    private static final KeyValue NO_METHOD = CallObservation.Key.METHOD.withValue(KeyValue.NONE_VALUE);

    private CallKeys() {}

    /** What is known when it starts, or else what else is known when it stops. */
    static KeyValues of(ObservedCall observed) {
        CallOutcome outcome = observed.outcome();
        return outcome == null ? begun(observed) : ended(observed, outcome);
    }

    private static KeyValues begun(ObservedCall observed) {
        CallDescription call = observed.call();
        return KeyValues.of(
                kind(call.kind()),
                call.method() == null ? NO_METHOD : CallObservation.Key.METHOD.withValue(call.method()),
                CallObservation.Key.PEER.withValue(observed.peerName()),
                CallObservation.Key.PORT.withValue(call.port().isEmpty() ? KeyValue.NONE_VALUE : call.port()));
    }

    private static KeyValues ended(ObservedCall observed, CallOutcome outcome) {
        CallDescription call = observed.call();
        Peer peer = call.peer();
        KeyValue path = CallObservation.Key.PATH.withValue(
                peer == null ? KeyValue.NONE_VALUE : peer.session().transport());
        return !(observed instanceof ClientCallContext client) || client.goesWhereItBegan()
                ? KeyValues.of(outcome(outcome), path)
                : KeyValues.of(
                        outcome(outcome),
                        path,
                        CallObservation.Key.PEER.withValue(observed.peerName()),
                        CallObservation.Key.PORT.withValue(call.port()));
    }

    private static KeyValue kind(CallKind kind) {
        return switch (kind) {
            case TELL -> TELL;
            case ASK -> ASK;
            case STREAM -> STREAM;
            case EXCHANGE -> EXCHANGE;
        };
    }

    private static KeyValue outcome(CallOutcome outcome) {
        return switch (outcome) {
            case SUCCESS -> SUCCESS;
            case ERROR -> ERROR;
            case CANCELLED -> CANCELLED;
        };
    }

    /** What the call is, for people. */
    static String title(ObservedCall observed) {
        CallDescription call = observed.call();
        return call.method() == null ? call.kind().label() + ' ' + call.port() : call.method();
    }
}
