package io.weir.channel;

/** Names {@link CallObservation#CLIENT} as that documents it. */
public class DefaultClientCallConvention extends DefaultCallConvention<ClientCallContext> {

    /** One is enough for all. */
    public DefaultClientCallConvention() {
        super(CallObservation.CLIENT, ClientCallContext.class);
    }
}
