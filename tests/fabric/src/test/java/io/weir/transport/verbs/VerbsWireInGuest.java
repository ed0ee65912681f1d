package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.SlotPlan;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections between two ends in this process, through a device. Runs where there is one: in a guest. */
@ExtendWith(Guest.class)
class VerbsWireInGuest {

    private WireEnd near;
    private WireEnd far;

    private void connect() {
        WireEnd[] ends = WireEnd.pair();
        near = ends[0];
        far = ends[1];
    }

    @AfterEach
    void close() {
        if (near != null) {
            near.close();
            far.close();
        }
    }

    private void until(BooleanSupplier condition) {
        Soon.until(() -> {
            near.poll();
            far.poll();
            return condition.getAsBoolean();
        });
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
    void aMessageMayBeEmpty() {
        connect();
        VerbsWire wire = near.wire;
        wire.send(near.address(), near.registered.localKey(), 0, true);
        int[] bytes = {-1};
        Soon.until(() -> far.wire.poll(new OnlyReceived(length -> bytes[0] = length)) > 0);
        assertThat(bytes[0]).isZero();
    }

    @Test
    void atLeastEachEighthIsReported() {
        connect();
        for (int message = 0; message < 7; message++) {
            near.send(64, false);
        }
        until(() -> far.received == 7);
        assertThat(near.told).isZero();
        near.send(64, false);
        until(() -> near.told == 8);
        near.send(64, true);
        until(() -> near.told == 9);
        assertThat(near.reports).isEqualTo(2);
    }

    @Test
    void aHundredThousandMessagesArriveInOrder() {
        connect();
        long expected = 0;
        int messages = 100_000;
        for (int message = 0; message < messages; message++) {
            expected += message * 0x9e3779b97f4a7c15L;
        }
        // In parts, each of which has its time.
        for (int part = 5000; part <= messages; part += 5000) {
            sendBothWays(part);
        }
        assertThat(near.receivedSum).isEqualTo(expected);
        assertThat(far.receivedSum).isEqualTo(expected);
    }

    private void sendBothWays(int messages) {
        until(() -> {
            while (near.sent < messages && near.maySend()) {
                near.send(16 + (int) near.sent % 600, near.sent == messages - 1);
            }
            while (far.sent < messages && far.maySend()) {
                far.send(16 + (int) far.sent % 3000, far.sent == messages - 1);
            }
            return near.received == messages
                    && far.received == messages
                    && near.told == messages
                    && far.told == messages;
        });
    }

    @Test
    void thePeersMemoryIsReadAsFarAsItMayBe() {
        connect();
        int reads = Math.min(WireEnd.SLOTS, near.wire.maxReads());
        assertThat(near.wire.maxReads()).isPositive();
        for (int slot = 0; slot < reads; slot++) {
            far.memory.putLong(slot * WireEnd.SLOT, 1000 + slot);
            far.memory.putLong((slot + 1) * WireEnd.SLOT - Long.BYTES, 2000 + slot);
        }
        for (int slot = 0; slot < reads; slot++) {
            long at = (long) slot * WireEnd.SLOT;
            near.wire.read(
                    near.address() + at,
                    near.registered.localKey(),
                    WireEnd.SLOT,
                    far.address() + at,
                    far.registered.remoteKey(),
                    slot - 3);
        }
        until(() -> near.read.size() == reads);
        for (int slot = 0; slot < reads; slot++) {
            assertThat(near.read).contains(slot - 3);
            assertThat(near.memory.getLong(slot * WireEnd.SLOT)).isEqualTo(1000 + slot);
            assertThat(near.memory.getLong((slot + 1) * WireEnd.SLOT - Long.BYTES))
                    .isEqualTo(2000 + slot);
        }
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
        WireEnd[] ends = WireEnd.pair(256);
        near = ends[0];
        far = ends[1];
        near.send(4000, true);
        // Devices don't agree on whether it is the length or the connection that is wrong.
        assertThat(failureOf(far)).hasMessageContaining("while receiving").hasMessageMatching(".*\\(status [12],.*");
        assertThat(failureOf(near)).hasMessageContaining("while sending").hasMessageMatching(".*\\(status (9|11),.*");
    }

    private static Throwable failureOf(WireEnd end) {
        Throwable[] failure = new Throwable[1];
        Soon.until(() -> {
            failure[0] = catchThrowable(end::poll);
            return failure[0] != null;
        });
        assertThat(failure[0]).isInstanceOf(SessionLost.class);
        return failure[0];
    }

    @Test
    void whatCameBeforeArmingIsNotSleptOver() {
        connect();
        near.send(100, true);
        // Told of only when the other end has it.
        Soon.until(() -> {
            near.poll();
            return near.told == 1;
        });
        assertThat(far.wire.arm()).isFalse();
        assertThat(far.wire.arm()).isFalse();
        assertThat(far.wire.poll(far)).isEqualTo(1);
        assertThat(far.received).isEqualTo(1);
        assertThat(far.wire.arm()).isTrue();
    }

    @Test
    void aSleeperIsWokenByEachMessage() {
        connect();
        int rounds = 2000;
        Semaphore asleep = new Semaphore(0);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int round = 0; round < rounds; round++) {
                asleep.acquireUninterruptibly();
                Soon.until(() -> {
                    near.poll();
                    return near.maySend();
                });
                near.send(64, false);
            }
        });
        for (int round = 1; round <= rounds; round++) {
            asleep.release();
            int expected = round;
            while (far.received < expected) {
                if (far.wire.arm()) {
                    awaitReadable(far.wire.descriptor());
                    far.wire.awake();
                }
                far.poll();
            }
        }
        Soon.await(sending);
        assertThat(far.received).isEqualTo(rounds);
    }

    private static void awaitReadable(int descriptor) {
        try {
            Posix.awaitReadable(descriptor, descriptor);
        } catch (NativeFailure e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void nothingIsLeftOfAWireThatIsClosedAtWork() {
        for (int round = 0; round < 20; round++) {
            connect();
            assertThat(far.wire.arm()).isTrue();
            for (int message = 0; message < WireEnd.SLOTS; message++) {
                near.send(WireEnd.SLOT, true);
            }
            near.wire.read(near.address(), near.registered.localKey(), 8, far.address(), far.registered.remoteKey(), 1);
            WireEnd first = round % 2 == 0 ? near : far;
            first.close();
            first.close();
            near.close();
            far.close();
        }
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
