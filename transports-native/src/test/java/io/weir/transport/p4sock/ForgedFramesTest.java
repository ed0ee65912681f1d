package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.p4sock.SimulatedWire.End;
import io.weir.transport.p4sock.SimulatedWire.Weather;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What somebody sends who is not the peer, or who repeats or changes what the peer has sent. */
class ForgedFramesTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final SimulatedWire wire = new SimulatedWire(1, Weather.FINE);
    private final Nonce ours = Nonce.random();
    private final Nonce theirs = Nonce.random();
    private final List<Connection> all = new ArrayList<>();

    @BeforeEach
    void connect() {
        wire.near.connection = connection(wire.near, true, Seal.of(ours, theirs, true));
        wire.far.connection = connection(wire.far, false, Seal.of(ours, theirs, false));
        wire.far.connection().begin(wire.now);
        wire.near.connection().begin(wire.now);
        while (!wire.near.established || !wire.far.established) {
            assertThat(wire.step()).isTrue();
        }
        while (wire.step()) {
            // Until it is quiet.
        }
    }

    @AfterEach
    void nothingIsLeft() {
        all.forEach(Connection::release);
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private Connection connection(End end, boolean connecting, Seal seal) {
        Connection made = new Connection(
                new Connection.Setting(
                        connecting ? 5 : 77,
                        1,
                        ByteBuffer.allocate(FrameFormat.ADDRESS),
                        "the peer",
                        200,
                        64,
                        256,
                        Duration.ofSeconds(2)),
                connecting,
                seal,
                end,
                end,
                allocator);
        all.add(made);
        return made;
    }

    private static Fragment fragment(Connection connection, String text) {
        Fragment fragment = connection.pool().take();
        fragment.begin(0, 0);
        fragment.bytes().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        return fragment;
    }

    /** What an end would send now, instead of sending it. */
    private List<byte[]> caught(End end) {
        End other = end == wire.near ? wire.far : wire.near;
        Connection kept = other.connection;
        other.connection = null;
        end.toNobody.clear();
        end.connection().flush(wire.now);
        while (end.toNobody.isEmpty()) {
            wire.now = end.connection().deadline();
            end.connection().timePassed(wire.now);
        }
        other.connection = kept;
        return List.copyOf(end.toNobody);
    }

    @Test
    void dataWithOneBitChangedDoesNotGetIn() {
        wire.near.connection().add(fragment(wire.near.connection(), "trustworthy"), true);
        byte[] frame = caught(wire.near).get(0);
        for (int bit = 0; bit < 8 * frame.length; bit++) {
            byte[] changed = frame.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            // The receiver's index is looked at before; whoever has another one has other keys.
            wire.give(wire.far, false, changed);
            assertThat(wire.far.delivered).as("bit %d", bit).isEmpty();
        }
        wire.give(wire.far, false, frame);
        assertThat(wire.far.delivered).hasSize(1);
    }

    @Test
    void anAcknowledgementWithOneBitChangedIsNotBelieved() {
        wire.near.connection().add(fragment(wire.near.connection(), "one"), true);
        wire.give(wire.far, false, caught(wire.near).get(0));
        byte[] ack = caught(wire.far).get(0);
        for (int bit = 0; bit < 8 * ack.length; bit++) {
            byte[] changed = ack.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            wire.give(wire.near, true, changed);
            assertThat(wire.near.connection().hasArrived()).as("bit %d", bit).isFalse();
        }
        wire.give(wire.near, true, ack);
        assertThat(wire.near.connection().hasArrived()).isTrue();
    }

    @Test
    void whatComesAgainIsDeliveredOnce() {
        wire.near.connection().add(fragment(wire.near.connection(), "once"), true);
        byte[] frame = caught(wire.near).get(0);
        for (int i = 0; i < 5; i++) {
            wire.give(wire.far, false, frame);
        }
        assertThat(wire.far.delivered).hasSize(1);
    }

    @Test
    void theOtherDirectionHasAnotherKey() {
        wire.near.connection().add(fragment(wire.near.connection(), "mirror"), true);
        byte[] frame = caught(wire.near).get(0);
        wire.give(wire.near, false, frame);
        assertThat(wire.near.delivered).isEmpty();
        assertThat(wire.near.connection().forged()).isEqualTo(1);
    }

    @Test
    void aFloodOfFramesWithoutTheKeyChangesNothing() {
        SimulatedWire stranger = new SimulatedWire(9, Weather.FINE);
        stranger.near.connection = connection(stranger.near, true, Seal.of(Nonce.random(), theirs, true));
        stranger.far.connection = connection(stranger.far, false, Seal.of(Nonce.random(), theirs, false));
        stranger.near.connection().begin(stranger.now);
        for (int i = 0; i < 100_000; i++) {
            byte[] frame = new byte[12 + 8 + wire.random.nextInt(40)];
            for (int at = 0; at < frame.length; at++) {
                frame[at] = (byte) wire.random.nextInt();
            }
            ByteBuffer header = ByteBuffer.wrap(frame).order(ByteOrder.nativeOrder());
            header.putShort(2, (short) FrameFormat.FIRST).putShort(8, (short) (frame.length - 20));
            wire.give(wire.far, false, frame);
        }
        assertThat(wire.far.delivered).isEmpty();
        assertThat(wire.far.connection().forged()).isEqualTo(100_000);
        wire.near.connection().add(fragment(wire.near.connection(), "still"), true);
        wire.near.connection().flush(wire.now);
        while (wire.step()) {
            assertThat(wire.near.ended).isNull();
        }
        assertThat(wire.far.delivered).hasSize(1);
        assertThat(wire.near.connection().hasArrived()).isTrue();
    }
}
