package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.WireContract;
import io.weir.transport.rdma.WireEnd;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections between two ends in this process, through a device. Runs where there is one: in a guest. */
@ExtendWith(Guest.class)
class VerbsWireInGuest extends WireContract<VerbsWire> {

    /** A dead peer is found out in milliseconds. */
    private static final VerbsOptions.Retries SOON = new VerbsOptions.Retries(10, 2);

    @Override
    protected List<WireEnd<VerbsWire>> pair(int slotBytes) {
        VerbsDevice device = VerbsDevice.acquire(Guest.ANY);
        VerbsDomain one = VerbsDomain.open(device);
        VerbsDomain other = VerbsDomain.open(device);
        device.release();
        WireEnd<VerbsWire> left = end(one, slotBytes);
        WireEnd<VerbsWire> right = end(other, slotBytes);
        left.wire.connect(offer(right), SOON);
        right.wire.connect(offer(left), SOON);
        return List.of(left, right);
    }

    private static WireEnd<VerbsWire> end(VerbsDomain domain, int slotBytes) {
        return new WireEnd<>(domain, VerbsWire.open(domain, WireEnd.SLOTS, WireEnd.SLOTS), slotBytes, domain::close);
    }

    private static VerbsOffer offer(WireEnd<VerbsWire> of) {
        return VerbsOffer.decode(
                of.wire.offer(new SlotPlan(WireEnd.SLOTS, 40 << 10)).encode());
    }

    @Test
    void messagesGoBothWaysShortAndLong() {
        connect();
        assertThat(near.wire.queuePairNumber()).isNotEqualTo(far.wire.queuePairNumber());
        assertThat(near.wire.maxInline()).isPositive();
        near.send(16, true);
        near.send(near.wire.maxInline(), true);
        near.send(near.wire.maxInline() + 1, true);
        near.send(WireEnd.SLOT, true);
        far.send(5000, true);
        until(() -> far.received == 4 && near.received == 1 && near.told == 4 && far.told == 1);
        assertThat(far.receivedBytes).isEqualTo(16 + 2L * near.wire.maxInline() + 1 + WireEnd.SLOT);
        assertThat(near.receivedBytes).isEqualTo(5000);
    }

    @Test
    void anInlineMessageIsTakenBeforeSendReturns() {
        connect();
        near.memory.putLong(0, 7);
        near.wire.send(near.address(), near.registered.localKey(), Long.BYTES, true);
        near.memory.putLong(0, 9);
        near.sent = 1;
        until(() -> far.received == 1);
        assertThat(far.receivedSum).isEqualTo(7);
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
                    .hasMessageContaining("status 10");
        }
    }

    @Test
    void aPeerThatIsGoneIsNamedAsTheReasonAndNotWhatFollows() {
        connect();
        far.wire.close();
        // Of these, and of all slots that are ready, the device says no more than that they are over.
        for (int message = 0; message < WireEnd.SLOTS; message++) {
            near.send(500, true);
        }
        assertThat(failureOf(near))
                .hasMessageContaining("while sending")
                .hasMessageContaining("the peer does not answer")
                .hasMessageContaining("status 12");
    }

    @Test
    void aMessageLongerThanItsSlotEndsBothEnds() {
        connect(256);
        near.send(4000, true);
        // Devices don't agree on whether it is the length or the connection that is wrong.
        assertThat(failureOf(far)).hasMessageContaining("while receiving").hasMessageMatching(".*\\(status [12],.*");
        assertThat(failureOf(near)).hasMessageContaining("while sending").hasMessageMatching(".*\\(status (9|11),.*");
    }

    @Test
    void theLargestWiresAreTaken() {
        VerbsDevice device = VerbsDevice.acquire(Guest.ANY);
        try (VerbsDomain domain = VerbsDomain.open(device);
                VerbsWire wire = VerbsWire.open(domain, SlotPlan.MOST_SLOTS, SlotPlan.MOST_SLOTS)) {
            assertThat(wire.queuePairNumber()).isGreaterThan(1);
        } finally {
            device.release();
        }
    }

    @Test
    void memoryThatIsNotThereIsNotRegistered() {
        VerbsDevice device = VerbsDevice.acquire(Guest.ANY);
        try (VerbsDomain domain = VerbsDomain.open(device)) {
            assertThat(catchThrowable(() -> domain.register(4096, 1 << 20, false)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("1048576 bytes of memory can't be registered")
                    .hasMessageContaining("ulimit -l");
        } finally {
            device.release();
        }
    }
}
