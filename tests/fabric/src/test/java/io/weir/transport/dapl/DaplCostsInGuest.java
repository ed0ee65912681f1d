package io.weir.transport.dapl;

import io.weir.transport.rdma.CostsContract;
import io.weir.transport.rdma.SlotPlan;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class DaplCostsInGuest extends CostsContract {

    private static final String ADAPTER = "ofa-v2-cma-rxe";

    @Override
    protected String name() {
        return DaplTransport.NAME;
    }

    @Override
    protected List<Half> connected(SlotPlan plan) {
        DaplHalf near = DaplHalf.open(DaplAdapter.open(ADAPTER, false), plan, true, List.of());
        DaplHalf far = DaplHalf.open(DaplAdapter.open(ADAPTER, false), plan, false, List.of());
        var unusedPlan = near.read(far.offer());
        var unusedEither = far.read(near.offer());
        CompletableFuture<Void> connecting = CompletableFuture.runAsync(near::join);
        far.join();
        connecting.join();
        return List.of(
                new Half(near.domain(), near.wire(), near::close), new Half(far.domain(), far.wire(), far::close));
    }
}
