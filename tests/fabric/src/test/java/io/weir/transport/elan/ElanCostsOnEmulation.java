package io.weir.transport.elan;

import io.weir.transport.rdma.CostsContract;
import io.weir.transport.rdma.SlotPlan;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Emulation.class)
class ElanCostsOnEmulation extends CostsContract {

    @Override
    protected String name() {
        return ElanTransport.NAME;
    }

    @Override
    protected List<Half> connected(SlotPlan plan) {
        ElanHalf near = Emulation.half();
        ElanHalf far = Emulation.half();
        Emulation.exchange(near, far);
        return Stream.of(near, far)
                .map(half -> new Half(half.domain(), half.wire(), half::join, half::close))
                .toList();
    }
}
