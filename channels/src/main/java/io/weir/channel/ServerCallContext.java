package io.weir.channel;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.weir.core.ControlData;
import org.jspecify.annotations.Nullable;

/** A call that is answered, as observations see it. The carrier is what came with the request. */
public final class ServerCallContext extends ReceiverContext<ControlData> implements ObservedCall {

    private final CallDescription call;
    private final String peerName;
    private final ControlData control;
    private volatile @Nullable CallOutcome outcome;

    ServerCallContext(PeerNames names, CallDescription call, ControlData control) {
        super(ControlData::get, Kind.SERVER);
        this.call = call;
        this.control = control;
        Peer peer = call.peer();
        this.peerName = peer == null
                ? KeyValue.NONE_VALUE
                : names.label(peer.id().name(), peer.session().memory().identity());
        setRemoteServiceName(peerName);
        setCarrier(control);
    }

    /** What came with the request, as the peer has sent it. */
    public ControlData control() {
        return control;
    }

    void ended(CallOutcome how) {
        outcome = how;
    }

    @Override
    public CallDescription call() {
        return call;
    }

    @Override
    public String peerName() {
        return peerName;
    }

    @Override
    public @Nullable CallOutcome outcome() {
        return outcome;
    }
}
