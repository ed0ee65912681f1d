package io.weir.channel;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names {@link CallObservation#CLIENT} as that documents it. */
public class DefaultClientCallConvention implements ObservationConvention<ClientCallContext> {

    @Override
    public String getName() {
        return CallObservation.CLIENT.getName();
    }

    @Override
    public String getContextualName(ClientCallContext context) {
        return CallKeys.title(context);
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ClientCallContext context) {
        return CallKeys.of(context, context.getError());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ClientCallContext;
    }
}
