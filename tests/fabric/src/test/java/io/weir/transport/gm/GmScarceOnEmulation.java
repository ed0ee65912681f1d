package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where a port can register little more than it needs itself. */
@ExtendWith(Emulation.class)
class GmScarceOnEmulation {

    @Test
    void memoryThatIsRefusedIsToldWithItsRemedy() {
        GmHalf half = GmHalf.open(Emulation.options());
        assertThatThrownBy(() -> half.domain().register(0x10000, 4 << 20, false))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessage("4194304 bytes of memory can't be registered: a parameter that it does not take (status 8);"
                        + " fewer slots (weir.transport.gm.slots) or less weir.transport.gm.pool-size need less");
        ByteBuffer memory = Structures.allocate(1 << 20);
        Deque<Domain.Registration> registered = new ArrayDeque<>();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        // Each other bytes, as the same ones are only counted.
                        registered.add(half.domain().register(Structures.address(memory), 8192L * (i + 1), false));
                    }
                })
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining(
                        "bytes of memory can't be registered: no more memory can be registered (status 40)");
        registered.forEach(Domain.Registration::close);
        half.wire().close(half::close);
    }
}
