package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.fabric.guest.DeviceCheck;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.Wire;
import io.weir.transport.rdma.WireContract;
import io.weir.transport.rdma.WireEnd;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Connections between two ends in this process, through a provider and its device. Runs where there is one: in a guest.
 */
@ExtendWith({DeviceCheck.class, Guest.class})
class DaplWireInGuest extends WireContract<DaplWire> {

    private static final SlotPlan PLAN = new SlotPlan(WireEnd.SLOTS, SlotPlan.LEAST_BYTES);

    @Override
    protected List<WireEnd<DaplWire>> pair(int slotBytes) {
        DaplHalf left = DaplHalf.open(Guest.adapter(), PLAN, true, List.of());
        DaplHalf right = DaplHalf.open(Guest.adapter(), PLAN, false, List.of());
        WireEnd<DaplWire> near = end(left, slotBytes);
        WireEnd<DaplWire> far = end(right, slotBytes);
        join(left, right);
        return List.of(near, far);
    }

    private static void join(DaplHalf left, DaplHalf right) {
        assertThat(left.read(right.offer())).isEqualTo(PLAN);
        assertThat(right.read(left.offer())).isEqualTo(PLAN);
        CompletableFuture<Void> connecting = CompletableFuture.runAsync(left::join);
        right.join();
        Soon.await(connecting);
    }

    private static WireEnd<DaplWire> end(DaplHalf half, int slotBytes) {
        return new WireEnd<>(half.domain(), (DaplWire) half.wire(), slotBytes, half::close);
    }

    @Test
    void memoryThatIsNotReadableIsNotRead() {
        connect();
        ByteBuffer secret = Structures.allocate(64);
        try (Domain.Registration registered = far.domain.register(Structures.address(secret), 64, false)) {
            near.wire.read(
                    near.address(),
                    near.registered.localKey(),
                    64,
                    Structures.address(secret),
                    registered.remoteKey(),
                    1);
            assertThat(failureOf(near))
                    .hasMessageContaining("reading from the peer's memory")
                    .hasMessageContaining("does not let us read")
                    .hasMessageContaining("status 6");
        }
    }

    @Test
    void aPeerThatIsGoneIsNamedAsTheReason() {
        connect();
        far.wire.close();
        Throwable sending = catchThrowable(() -> near.send(500, true));
        assertThat(sending == null ? failureOf(near) : sending)
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("the peer has disconnected");
    }

    /** Where no slot is ready and nothing is under way, no transfer ends with the connection. */
    @Test
    void aSleeperWithoutSlotsIsWokenByThePeersEnd() {
        DaplHalf left = DaplHalf.open(Guest.adapter(), PLAN, true, List.of());
        DaplHalf right = DaplHalf.open(Guest.adapter(), PLAN, false, List.of());
        join(left, right);
        CompletableFuture<Throwable> end =
                CompletableFuture.supplyAsync(() -> catchThrowable(() -> sleepOn(left.wire())));
        right.wire().close();
        Soon.await(end);
        assertThat(end.join()).isInstanceOf(SessionLost.class).hasMessageContaining("the peer has disconnected");
        left.wire().close();
        left.close();
        right.close();
    }

    private static void sleepOn(Wire wire) {
        while (wire.arm()) {
            awaitReadable(wire.descriptor());
            wire.awake();
        }
        throw new AssertionError("there was something to take");
    }

    @Test
    void aMessageLongerThanItsSlotEndsBothEnds() {
        connect(256);
        near.send(4000, true);
        // Devices don't agree on whether it is the length or the connection that is wrong.
        assertThat(failureOf(far)).hasMessageContaining("while receiving").hasMessageMatching(".*\\(status [23]\\).*");
        assertThat(failureOf(near)).hasMessageContaining("while sending").hasMessageContaining("(status 7)");
    }

    @Test
    void theLargestWiresAreTaken() {
        try (DaplDomain domain = DaplDomain.open(Guest.adapter());
                DaplWire wire = DaplWire.open(domain, SlotPlan.MOST_SLOTS, SlotPlan.MOST_SLOTS)) {
            assertThat(wire.descriptor()).isPositive();
        }
    }

    @Test
    void memoryThatIsNotThereIsNotRegistered() {
        try (DaplDomain domain = DaplDomain.open(Guest.adapter())) {
            assertThat(catchThrowable(() -> domain.register(4096, 1 << 20, false)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("1048576 bytes of memory can't be registered");
        }
    }
}
