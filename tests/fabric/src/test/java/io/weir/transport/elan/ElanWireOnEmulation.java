package io.weir.transport.elan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.kenai.jffi.MemoryIO;
import io.weir.core.SessionLost;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.OnlyReceived;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireContract;
import io.weir.transport.rdma.WireEnd;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Links between two ends in this process. */
@ExtendWith(Emulation.class)
class ElanWireOnEmulation extends WireContract<ElanWire> {

    @Override
    protected List<WireEnd<ElanWire>> pair(int slotBytes) {
        return Emulation.pair(slotBytes);
    }

    @Test
    void aPeerThatIsGoneIsNamedAsTheReason() {
        connect();
        far.close();
        assertThat(failureOf(near)).hasMessageContaining("the peer has ended the link");
    }

    @Test
    void whatWasSentBeforeTheEndIsThere() {
        connect();
        for (int message = 0; message < WireEnd.SLOTS; message++) {
            far.send(200, false);
        }
        far.close();
        assertThat(failureOf(near)).hasMessageContaining("the peer has ended the link");
        assertThat(near.received).isEqualTo(WireEnd.SLOTS);
    }

    /** What it had begun before is done by then, however late that is moved. */
    @Test
    void whoHasSaidItsLastWordWritesNothingMore() {
        connect();
        long[] words = new long[WireEnd.SLOTS];
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        Runnable look = () -> {
            for (int message = 0; message < words.length; message++) {
                words[message] = MemoryIO.getInstance().getLong(far.slot(message) + WireEnd.SLOT);
            }
            quiet.complete(null);
        };
        for (int message = 0; message < WireEnd.SLOTS; message++) {
            near.send(WireEnd.SLOT, false);
        }
        far.close(look);
        near.close();
        Soon.await(quiet);
        for (int message = 0; message < words.length; message++) {
            assertThat(words[message]).isEqualTo(message + 1L << Integer.SIZE | WireEnd.SLOT);
        }
    }

    /** Each link takes two of the 1024 places that a process has for what is no message. */
    @Test
    void placesAreGivenBack() {
        for (int link = 0; link < 700; link++) {
            connect();
            near.close();
            far.close();
        }
    }

    /** It would be written over the slot before it, or over whatever lies there. */
    @Test
    void aMessageLongerThanItsSlotIsNotWritten() {
        connect(256);
        assertThat(catchThrowable(() -> near.send(257, true)))
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("a message of 257 bytes does not fit into the peer's slots of 256");
        near.send(256, true);
        until(() -> far.received == 1);
    }

    @Test
    void messagesOfAnyLengthBeginWhereTheyAreSoughtFor() {
        connect(64);
        for (int bytes = 0; bytes <= 64; bytes++) {
            ByteBuffer message = Structures.allocate(96);
            for (int i = 0; i < bytes; i++) {
                message.put(i, (byte) (bytes + i));
            }
            int length = bytes;
            near.wire.send(Structures.address(message), 0, bytes, true);
            boolean[] seen = new boolean[1];
            Soon.until(() -> {
                int unused = far.wire.poll(new OnlyReceived(found -> {
                    assertThat(found).isEqualTo(length);
                    long at = far.slot(length) + far.wire.offset(64, length);
                    for (int i = 0; i < length; i++) {
                        assertThat(MemoryIO.getInstance().getByte(at + i)).isEqualTo((byte) (length + i));
                    }
                    far.wire.receive(far.slot(length), 0, 64);
                    seen[0] = true;
                }));
                // So that it knows what has arrived.
                int unusedEither = near.wire.poll(new OnlyReceived(found -> {}));
                return seen[0];
            });
        }
    }

    @Test
    void aMessageThatIsNotTheNextOneEndsTheLink() {
        connect();
        // As if it were the 18th, where the slot of the first is.
        far.forge(0, 18L << 32 | 8);
        assertThat(failureOf(far)).hasMessageContaining("message 18 where message 1 should be");
    }

    @Test
    void aMessageThatSaysItIsLongerThanItsSlotEndsTheLink() {
        connect();
        far.forge(0, 1L << 32 | WireEnd.SLOT + 8);
        assertThat(failureOf(far)).hasMessageContaining("8200 bytes in a slot of 8192");
    }
}
