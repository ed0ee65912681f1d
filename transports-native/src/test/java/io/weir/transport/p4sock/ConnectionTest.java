package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.p4sock.SimulatedWire.End;
import io.weir.transport.p4sock.SimulatedWire.Weather;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The protocol over a simulated wire. */
@Tag("one-jdk")
class ConnectionTest {

    private static final int PAYLOAD = 200;
    private static final int WINDOW = 64;
    private static final long NAME = 0x7765_6972_7465_7374L;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<SimulatedWire> wires = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        for (SimulatedWire wire : wires) {
            wire.near.connection().release();
            wire.far.connection().release();
        }
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private SimulatedWire wire(long seed, Weather weather, boolean sealed) {
        SimulatedWire wire = new SimulatedWire(seed, weather);
        Nonce one = Nonce.random();
        Nonce other = Nonce.random();
        wire.near.connection = connection(wire.near, true, sealed ? Seal.of(one, other, true) : null);
        wire.far.connection = connection(wire.far, false, sealed ? Seal.of(one, other, false) : null);
        wires.add(wire);
        return wire;
    }

    private Connection connection(End end, boolean connecting, @Nullable Seal seal) {
        return new Connection(
                new Connection.Setting(
                        connecting ? 5 : 77,
                        NAME,
                        ByteBuffer.allocate(FrameFormat.ADDRESS),
                        "the peer",
                        PAYLOAD,
                        WINDOW,
                        256,
                        Duration.ofSeconds(2)),
                connecting,
                seal,
                end,
                end,
                allocator);
    }

    private static void begin(SimulatedWire wire) {
        wire.far.connection().begin(wire.now);
        wire.near.connection().begin(wire.now);
        while (!wire.near.established || !wire.far.established) {
            assertThat(wire.step()).isTrue();
        }
    }

    /** Adds one of random length, maybe in pieces. Returns how it has to arrive. */
    private static String add(SimulatedWire wire, End end) {
        Connection connection = end.connection();
        Fragment fragment = connection.pool().take();
        fragment.begin(end.stream, end.stream);
        ByteBuf whole = Unpooled.buffer();
        int parts = wire.random.nextInt(3);
        write(wire, fragment, whole, 1 + wire.random.nextInt(60));
        if (parts > 0) {
            ByteBuf piece = Unpooled.directBuffer(64);
            int length = 1 + wire.random.nextInt(60);
            for (int i = 0; i < length; i++) {
                piece.writeByte(wire.random.nextInt());
            }
            whole.writeBytes(piece, 0, length);
            fragment.piece(piece, 0, length);
            piece.release();
        }
        if (parts > 1) {
            write(wire, fragment, whole, 1 + wire.random.nextInt(60));
        }
        boolean last = wire.random.nextBoolean();
        String expected = SimulatedWire.describe(whole, last);
        end.stream += fragment.length();
        connection.add(fragment, last);
        return expected;
    }

    private static void write(SimulatedWire wire, Fragment fragment, ByteBuf whole, int length) {
        for (int i = 0; i < length; i++) {
            int value = wire.random.nextInt();
            fragment.bytes().writeByte(value);
            whole.writeByte(value);
        }
    }

    private static void run(SimulatedWire wire, int count, boolean both) {
        List<String> fromNear = new ArrayList<>();
        List<String> fromFar = new ArrayList<>();
        while (wire.far.delivered.size() < count || (both && wire.near.delivered.size() < count)) {
            if (fromNear.size() < count && !wire.near.connection().isFull()) {
                fromNear.add(add(wire, wire.near));
                wire.near.connection().flush(wire.now);
            }
            if (both && fromFar.size() < count && !wire.far.connection().isFull()) {
                fromFar.add(add(wire, wire.far));
                wire.far.connection().flush(wire.now);
            }
            if (wire.random.nextInt(4) == 0) {
                assertThat(wire.step()).isTrue();
            }
            while (wire.near.connection().isFull() && wire.step()) {
                assertThat(wire.near.ended).isNull();
            }
            if (fromNear.size() == count) {
                assertThat(wire.step() || wire.far.delivered.size() == count).isTrue();
            }
            assertThat(wire.near.ended).isNull();
            assertThat(wire.far.ended).isNull();
        }
        assertThat(wire.far.delivered).isEqualTo(fromNear);
        if (both) {
            assertThat(wire.near.delivered).isEqualTo(fromFar);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, 0, 0, 0, 0, 0",
        "true, 0.001, 0, 0, 0, 0",
        "true, 0.01, 0.01, 0.01, 0.01, 0",
        "true, 0.05, 0.05, 0.05, 0.05, 100000",
        "true, 0.2, 0.2, 0.2, 0.2, 1000000",
        "true, 0, 0, 0, 0.5, 500000",
        "true, 0, 0.2, 0, 0, 0",
        "false, 0, 0, 0, 0, 0",
        "false, 0.01, 0.01, 0, 0.01, 0",
        "false, 0.1, 0.1, 0, 0.1, 100000"
    })
    void everythingArrivesOnceAndInOrder(
            boolean sealed, double lost, double doubled, double corrupted, double held, long jitter) {
        for (long seed = 1; seed <= 3; seed++) {
            SimulatedWire wire = wire(seed, new Weather(lost, doubled, corrupted, held, 200_000, jitter), sealed);
            begin(wire);
            run(wire, 1000, seed % 2 == 0);
            assertThat(wire.near.frames)
                    .as("frames sent for 1000, seed %d", seed)
                    .isLessThan((long) (1000 * (sealed ? 2.5 : 40)));
        }
    }

    @Test
    void withoutLossNothingIsSentTwiceAndLittleIsAcknowledged() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        begin(wire);
        run(wire, 2000, false);
        assertThat(wire.near.frames).isEqualTo(2000);
        assertThat(wire.far.controls).isLessThan(2000 / 15);
    }

    @Test
    void nothingHappensWhenThereIsNothingToDo() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        begin(wire);
        run(wire, 100, true);
        while (wire.step()) {
            assertThat(wire.now).isLessThan(2_000_000_000L);
        }
        assertThat(wire.near.connection().deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theEndArrivesBehindEverything() {
        SimulatedWire wire = wire(3, new Weather(0.2, 0.1, 0, 0.1, 100_000, 50_000), true);
        begin(wire);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sent.add(add(wire, wire.near));
        }
        wire.near.connection().finish();
        wire.near.connection().flush(wire.now);
        while (wire.far.ended == null) {
            assertThat(wire.step()).isTrue();
        }
        assertThat(wire.far.delivered).isEqualTo(sent);
        assertThat(wire.far.ended).isInstanceOf(SessionLost.class).hasMessageContaining("has closed");
    }

    @Test
    void theEndIsAcknowledgedThoughAnAcknowledgementGetsLost() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        begin(wire);
        run(wire, 10, true);
        while (wire.step()) {
            // Until it is quiet.
        }
        wire.near.connection().finish();
        wire.near.connection().flush(wire.now);
        wire.far.controlsToLose = 1;
        while (wire.far.ended == null) {
            assertThat(wire.step()).isTrue();
        }
        wire.far.connection().release();
        long end = wire.now + 1_000_000_000;
        while (!wire.near.connection().hasArrived()) {
            assertThat(wire.step() && wire.now < end).isTrue();
        }
    }

    @Test
    void whoClosesSaysSoThoughThereIsDataToSend() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        begin(wire);
        run(wire, 10, true);
        while (wire.step()) {
            // Until it is quiet.
        }
        long before = wire.near.controls;
        String unused = add(wire, wire.near);
        wire.near.connection().freeze();
        wire.near.connection().flush(wire.now);
        assertThat(wire.near.controls).isEqualTo(before + 1);
    }

    @Test
    void aPeerThatIsSilentIsLostInTime() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        begin(wire);
        run(wire, 100, true);
        wire.cut = true;
        long before = wire.now;
        long framesBefore = wire.near.frames;
        String unused = add(wire, wire.near);
        wire.near.connection().flush(wire.now);
        while (wire.near.ended == null) {
            assertThat(wire.step()).isTrue();
        }
        assertThat(wire.near.ended).isInstanceOf(SessionLost.class).hasMessageContaining("did not answer");
        assertThat(Duration.ofNanos(wire.now - before)).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2600));
        assertThat(wire.near.frames - framesBefore).isLessThan(200);
    }

    @Test
    void anUnansweredConnectionIsGivenUp() {
        SimulatedWire wire = wire(1, Weather.FINE, true);
        wire.cut = true;
        wire.far.connection().begin(wire.now);
        wire.near.connection().begin(wire.now);
        while (wire.near.ended == null || wire.far.ended == null) {
            assertThat(wire.step()).isTrue();
        }
        assertThat(wire.near.ended).isInstanceOf(PeerUnavailable.class);
        assertThat(wire.near.controls).isLessThan(110);
    }

    @Test
    void whatNobodyWantsYetWaitsForLong() {
        SimulatedWire wire = wire(1, new Weather(0.05, 0, 0, 0, 100_000, 0), true);
        wire.far.wants = false;
        begin(wire);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sent.add(add(wire, wire.near));
        }
        wire.near.connection().flush(wire.now);
        long until = wire.now + Duration.ofMinutes(1).toNanos();
        while (wire.now < until) {
            assertThat(wire.step()).isTrue();
        }
        assertThat(wire.near.ended).isNull();
        assertThat(wire.far.delivered).isEmpty();
        assertThat(wire.near.frames).as("probes of a minute").isLessThan(1000);
        wire.far.wants = true;
        wire.far.connection().wanted(wire.now);
        while (wire.far.delivered.size() < 200) {
            assertThat(wire.step()).isTrue();
        }
        assertThat(wire.far.delivered).isEqualTo(sent);
    }

    @Test
    void whatComesAfterTheSequenceNumbersHaveWrappedIsTheNextAndNotTheOld() {
        SimulatedWire wire = wire(7, new Weather(0.001, 0.01, 0, 0.01, 20_000, 0), true);
        begin(wire);
        run(wire, 70_000, false);
    }
}
