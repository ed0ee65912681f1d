package io.weir.channel;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.weir.core.ControlData;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that is made, as observations see it. It is its own carrier: what a propagator puts into it travels with the
 * request.
 */
public final class ClientCallContext extends SenderContext<ClientCallContext> implements ObservedCall {

    private final PeerNames names;
    private final @Nullable Peer first;
    private volatile CallDescription call;
    private volatile String peerName = KeyValue.NONE_VALUE;
    private volatile @Nullable CallOutcome outcome;
    private ControlData entries = ControlData.empty();

    ClientCallContext(PeerNames names, CallDescription call) {
        super((carrier, key, value) -> Objects.requireNonNull(carrier).put(key, value), Kind.CLIENT);
        this.names = names;
        this.first = call.peer();
        this.call = call;
        know(call);
        setCarrier(this);
    }

    /** Which try this is. */
    void know(CallDescription of) {
        call = of;
        Peer peer = of.peer();
        if (peer != null) {
            peerName = names.label(peer.id().name(), peer.session().memory().identity());
            setRemoteServiceName(peerName);
        }
    }

    /** Whether it is still taken by the peer that was known when it began, or by nobody. */
    @SuppressWarnings("ReferenceEquality") // A connection is one object.
    boolean goesWhereItBegan() {
        return call.peer() == first;
    }

    private void put(String key, String value) {
        entries = entries.with(key, value);
    }

    /** These entries with those of the propagator. */
    ControlData addedTo(ControlData given) {
        return MoreControl.added(entries, given);
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
