package io.weir.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.WeirException;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every wire has to do, between two ends in this process, through a device. Runs where there is one: in a guest.
 */
public abstract class WireContract<W extends Wire> {

    protected WireEnd<W> near;
    protected WireEnd<W> far;

    /** Both ends of a connection, with all slots ready. */
    protected abstract List<WireEnd<W>> pair(int slotBytes);

    protected final void connect() {
        connect(WireEnd.SLOT);
    }

    protected final void connect(int slotBytes) {
        List<WireEnd<W>> ends = pair(slotBytes);
        near = ends.get(0);
        far = ends.get(1);
    }

    @AfterEach
    void close() {
        if (near != null) {
            near.close();
            far.close();
        }
    }

    protected final void until(BooleanSupplier condition) {
        Soon.until(() -> {
            near.poll();
            far.poll();
            return condition.getAsBoolean();
        });
    }

    protected static Throwable failureOf(WireEnd<?> end) {
        Throwable[] failure = new Throwable[1];
        Soon.until(() -> {
            failure[0] = catchThrowable(end::poll);
            return failure[0] != null;
        });
        assertThat(failure[0]).isInstanceOf(WeirException.class);
        return failure[0];
    }

    @Test
    void aMessageMayBeEmpty() {
        connect();
        near.wire.send(near.address(), near.registered.localKey(), 0, true);
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
        // By a thread of its own, as whoever sleeps has no limit.
        CompletableFuture<Void> receiving = CompletableFuture.runAsync(() -> {
            for (int round = 1; round <= rounds; round++) {
                asleep.release();
                while (far.received < round) {
                    if (far.wire.arm()) {
                        awaitReadable(far.wire.descriptor());
                        far.wire.awake();
                    }
                    far.poll();
                }
            }
        });
        Soon.await(receiving);
        Soon.await(sending);
        assertThat(far.received).isEqualTo(rounds);
    }

    protected static void awaitReadable(int descriptor) {
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
            WireEnd<W> first = round % 2 == 0 ? near : far;
            first.close();
            first.close();
            near.close();
            far.close();
        }
    }
}
