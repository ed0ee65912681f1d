package io.weir.channel;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names {@link CallObservation#SERVER} as that documents it. */
public class DefaultServerCallConvention implements ObservationConvention<ServerCallContext> {

    @Override
    public String getName() {
        return CallObservation.SERVER.getName();
    }

    @Override
    public String getContextualName(ServerCallContext context) {
        return CallKeys.title(context);
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ServerCallContext context) {
        return CallKeys.of(context, context.getError());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ServerCallContext;
    }
}
