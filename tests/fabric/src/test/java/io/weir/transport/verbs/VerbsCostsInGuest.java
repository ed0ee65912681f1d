package io.weir.transport.verbs;

import io.weir.transport.rdma.CostsContract;
import io.weir.transport.rdma.SlotPlan;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Guest.class)
class VerbsCostsInGuest extends CostsContract {

    @Override
    protected String name() {
        return VerbsTransport.NAME;
    }

    @Override
    protected List<Half> connected(SlotPlan plan) {
        VerbsDevice device = VerbsDevice.acquire(Guest.ANY);
        VerbsDomain one = VerbsDomain.open(device);
        VerbsDomain other = VerbsDomain.open(device);
        device.release();
        VerbsWire near = VerbsWire.open(one, plan.slots(), plan.slots());
        VerbsWire far = VerbsWire.open(other, plan.slots(), plan.slots());
        VerbsOptions.Retries retries = VerbsOptions.of(Guest.settings(Map.of())).retries();
        near.connect(VerbsOffer.decode(far.offer(plan).encode()), retries);
        far.connect(VerbsOffer.decode(near.offer(plan).encode()), retries);
        return List.of(new Half(one, near, one::close), new Half(other, far, other::close));
    }
}
