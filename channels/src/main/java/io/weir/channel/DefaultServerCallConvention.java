package io.weir.channel;

/** Names {@link CallObservation#SERVER} as that documents it. */
public class DefaultServerCallConvention extends DefaultCallConvention<ServerCallContext> {

    /** One is enough for all. */
    public DefaultServerCallConvention() {
        super(CallObservation.SERVER, ServerCallContext.class);
    }
}
