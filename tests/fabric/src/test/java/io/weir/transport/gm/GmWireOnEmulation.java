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

    /** The one with the longest that a short buffer takes, and those around it. */
    @Test
    void messagesThatJustFitIntoASizeArrive() {
        connect();
        for (int bytes = 4056; bytes <= 4096; bytes += Long.BYTES) {
            near.send(bytes, true);
            long expected = near.sent;
            until(() -> far.received == expected && near.told == expected);
        }
    }

    /** Of memory that begins at the end of a page, and ends at the beginning of another one. */
    @Test
    void whatLiesAcrossPagesIsReadWhole() {
        connect();
        ByteBuffer memory = Structures.allocate(8192);
        int boundary = (int) (-Structures.address(memory) & 4095);
        int at = boundary < 8 ? boundary + 4096 - 8 : boundary - 8;
        memory.putLong(at, 1).putLong(at + 8, 2);
        long address = Structures.address(memory) + at;
        try (Domain.Registration registered = far.domain.register(address, 16, true)) {
            near.wire.read(near.address(), near.registered.localKey(), 16, address, registered.remoteKey(), 1);
            until(() -> near.read.contains(1));
        }
        assertThat(near.memory.getLong(0)).isEqualTo(1);
        assertThat(near.memory.getLong(8)).isEqualTo(2);
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
