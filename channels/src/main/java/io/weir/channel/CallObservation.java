package io.weir.channel;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations that {@link WeirObservations} makes. Needs Micrometer on the class path. */
public enum CallObservation implements ObservationDocumentation {

    /**
     * A call that this node makes, with all its tries: from the subscription to the answer, or to the end of the
     * stream.
     */
    CLIENT("weir.client.calls", DefaultClientCallConvention.class),

    /** A call that this node answers: from the arrival of the request to the answer, or to the end of the stream. */
    SERVER("weir.server.calls", DefaultServerCallConvention.class);

    /** The tags that distinguish observations, each with few values. */
    public enum Key implements KeyName {
        /** The name of the other side, which several peers may share; {@code none} if nobody could be called. */
        PEER("peer"),
        /** The port that was called. */
        PORT("port"),
        /** Interface and name of a method, {@code Ledger.balance}; {@code none} for calls without an interface. */
        METHOD("method"),
        /** See {@link CallKind}. */
        KIND("kind"),
        /** The name of the path that is used when the observation ends; {@code none} if nobody could be called. */
        PATH("path"),
        /** See {@link CallOutcome}. This and the path are there when it ends. */
        OUTCOME("outcome");

        private final String text;

        Key(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    private final String name;

    @SuppressWarnings("ImmutableEnumChecker") // A class is immutable.
    private final Class<? extends ObservationConvention<? extends Observation.Context>> convention;

    CallObservation(String name, Class<? extends ObservationConvention<? extends Observation.Context>> convention) {
        this.name = name;
        this.convention = convention;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return convention;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return Key.values();
    }
}
