package io.weir.channel;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** What both sides' conventions have in common. */
abstract class DefaultCallConvention<C extends Observation.Context & ObservedCall> implements ObservationConvention<C> {

    private final CallObservation observation;
    private final Class<C> type;

    DefaultCallConvention(CallObservation observation, Class<C> type) {
        this.observation = observation;
        this.type = type;
    }

    @Override
    public String getName() {
        return observation.getName();
    }

    @Override
    public String getContextualName(C context) {
        return CallKeys.title(context);
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(C context) {
        return CallKeys.of(context);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return type.isInstance(context);
    }
}
