package io.weir.transport.gm;

import io.weir.transport.rdma.CostsContract;
import io.weir.transport.rdma.SlotPlan;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Emulation.class)
class GmCostsOnEmulation extends CostsContract {

    @Override
    protected String name() {
        return GmTransport.NAME;
    }

    /** jffi makes an object of a call's parameters. */
    @Override
    protected int perCall() {
        return 64;
    }

    @Override
    protected List<Half> connected(SlotPlan plan) {
        GmHalf near = GmHalf.open(Emulation.options());
        GmHalf far = GmHalf.open(Emulation.options());
        Emulation.join(near, far);
        return List.of(
                new Half(near.domain(), near.wire(), near::close), new Half(far.domain(), far.wire(), far::close));
    }
}
