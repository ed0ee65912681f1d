package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.WireContract;
import io.weir.transport.rdma.WireEnd;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Links between two ends in this process, over one port. */
@ExtendWith(Emulation.class)
class GmWireOnEmulation extends WireContract<GmWire> {

    @Override
    protected List<WireEnd<GmWire>> pair(int slotBytes) {
        return Emulation.pair(slotBytes);
    }

    @Test
    void memoryThatIsNotReadableIsNotRead() {
        connect();
        ByteBuffer secret = Structures.allocate(8192);
        long address = Structures.address(secret) + 4095 & -4096;
        try (Domain.Registration registered = far.domain.register(address, 64, false)) {
            near.wire.read(near.address(), near.registered.localKey(), 64, address, registered.remoteKey(), 1);
            assertThat(failureOf(far)).hasMessageContaining("it wants to read memory that was not offered");
        }
    }

    @Test
    void aPeerThatIsGoneIsNamedAsTheReason() {
        connect();
        far.close();
        assertThat(failureOf(near)).hasMessageContaining("the peer has ended the link");
    }

    @Test
    void aMessageLongerThanItsSlotEndsBothEnds() {
        connect(256);
        near.send(4000, true);
        assertThat(failureOf(far)).hasMessageContaining("its 4000 bytes do not fit into a slot of 256");
    }
}
