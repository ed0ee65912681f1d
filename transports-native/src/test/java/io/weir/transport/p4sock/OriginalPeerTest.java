package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.transport.p4sock.SimulatedWire.End;
import io.weir.transport.p4sock.SimulatedWire.Weather;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Frames byte by byte, as a host of ParaStation of the same byte order sends and expects them, and what such a host
 * does that we don't; then one that behaves as none would.
 */
@EnabledIf("isLittleEndian")
class OriginalPeerTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final SimulatedWire wire = new SimulatedWire(1, Weather.FINE);
    private final End us = wire.near;

    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    @AfterEach
    void nothingIsLeft() {
        us.connection().release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private Connection open(boolean connecting) {
        ByteBuffer address = ByteBuffer.allocate(FrameFormat.ADDRESS).order(ByteOrder.LITTLE_ENDIAN);
        address.putShort(0, (short) 3).put(4, hex("020000000001")).put(12, hex("65746830"));
        Connection connection = new Connection(
                new Connection.Setting(
                        5,
                        // p4s01234
                        0x7034_7330_3132_3334L,
                        address,
                        "the peer",
                        1438,
                        360,
                        360,
                        Duration.ofSeconds(2)),
                connecting,
                null,
                us,
                us,
                allocator);
        us.connection = connection;
        connection.begin(wire.now);
        return connection;
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    private void control(String frame) {
        wire.give(us, true, hex(frame));
    }

    private void data(String frame) {
        wire.give(us, false, hex(frame));
    }

    private String sent() {
        assertThat(us.toNobody).isNotEmpty();
        return HexFormat.of().formatHex(us.toNobody.remove(0));
    }

    private void sends(String frame) {
        assertThat(sent()).isEqualTo(frame.replace(" ", ""));
    }

    private void sendsNothing() {
        assertThat(us.toNobody).isEmpty();
    }

    private static Fragment fragment(Connection connection, String text) {
        Fragment fragment = connection.pool().take();
        fragment.begin(0, 0);
        fragment.bytes().writeBytes(hex(text));
        return fragment;
    }

    /** Connection 5 of ours and 9 of theirs; the other side begins with 40000. */
    private Connection established() {
        Connection connection = open(true);
        // type 0, zero, cifrom 5, name, seqno 30000, address: type 3, MAC, interface eth0
        sends("0000 0000 0500 7034733031323334 3075 0300 0000 020000000001 0000 65746830000000000000000000000000");
        // type 1, zero, cito 5, cifrom 9, seqno 40000, ackno 30000, error 0
        control("0100 0000 0500 0900 409c 3075 0000");
        assertThat(us.established).isTrue();
        // type 3, zero, cito 9, ackno 39999, winno 39999 + 360, resend 0
        sends("0300 0000 0900 3f9c a79d 0000");
        return connection;
    }

    @Test
    void connectsSendsAndEnds() {
        Connection connection = established();
        connection.add(fragment(connection, "cafe"), false);
        connection.add(fragment(connection, "babe01"), true);
        connection.flush(wire.now);
        // cito 9, seqno 30000, ackno 39999, winno 40359, len 2, flags 0
        sends("0900 3075 3f9c a79d 0200 0000 cafe");
        sends("0900 3175 3f9c a79d 0300 0100 babe01");
        // They have both, and let us send up to 30360.
        control("0300 0000 0500 3175 9876 0000");
        assertThat(connection.hasArrived()).isTrue();
        connection.finish();
        connection.flush(wire.now);
        sends("0900 3275 3f9c a79d 0000 0100");
    }

    @Test
    void acceptsTakesAndHearsTheEnd() {
        Connection connection = open(false);
        control("0000 0000 0700 7034733031323334 409c 0300 0000 020000000002 0000 65746830000000000000000000000000");
        assertThat(us.established).isTrue();
        // cito 7, cifrom 5, seqno 30000, ackno 40000, no error
        sends("0100 0000 0700 0500 3075 409c 0000");
        // The same SYN once more, as the answer was lost.
        control("0000 0000 0700 7034733031323334 409c 0300 0000 020000000002 0000 65746830000000000000000000000000");
        sends("0100 0000 0700 0500 3075 409c 0000");
        // cito 5, seqno 40000, ackno 29999, winno 30100, 2 bytes, last; and what a frame of least length is filled up
        // with
        data("0500 409c 2f75 9475 0200 0100 cafe 00000000000000000000000000000000000000000000");
        assertThat(us.delivered).hasSize(1);
        sendsNothing();
        wire.now += 1_000_000;
        connection.timePassed(wire.now);
        sends("0300 0000 0700 409c a89d 0000");
        data("0500 419c 2f75 9475 0000 0100");
        assertThat(us.ended).isInstanceOf(SessionLost.class);
        sends("0300 0000 0700 419c a99d 0000");
    }

    @Test
    void asksForWhatIsMissingAndTakesWhatCameEarly() {
        Connection connection = established();
        data("0500 419c 2f75 9475 0100 0100 02");
        sends("0300 0000 0900 3f9c a79d 0100");
        data("0500 419c 2f75 9475 0100 0100 02");
        sends("0300 0000 0900 3f9c a79d 0100");
        data("0500 409c 2f75 9475 0100 0100 01");
        assertThat(us.delivered).hasSize(2);
        assertThat(connection.deadline()).isLessThan(Long.MAX_VALUE);
    }

    @Test
    void beginsAgainWhereAskedTo() {
        Connection connection = established();
        for (String each : new String[] {"01", "02", "03"}) {
            connection.add(fragment(connection, each), true);
        }
        connection.flush(wire.now);
        us.toNobody.clear();
        wire.now += 1_000_000;
        control("0300 0000 0500 3075 9876 0000");
        wire.now += 3_000_000;
        // They have the first one, and a later one early.
        control("0300 0000 0500 3075 9876 0100");
        sends("0900 3175 3f9c a79d 0100 0100 02");
        sends("0900 3275 3f9c a79d 0100 0100 03");
        // Once more, at once: what was sent again can't have come yet.
        control("0300 0000 0500 3075 9876 0100");
        sendsNothing();
    }

    @Test
    void sendsNoMoreThanTheWindowAndThenAsksWhetherItIsStillShut() {
        Connection connection = established();
        connection.add(fragment(connection, "01"), true);
        connection.flush(wire.now);
        us.toNobody.clear();
        control("0300 0000 0500 3075 3075 0000");
        connection.add(fragment(connection, "02"), true);
        connection.flush(wire.now);
        sendsNothing();
        wire.now = connection.deadline();
        connection.timePassed(wire.now);
        sends("0900 3175 3f9c a79d 0100 0100 02");
    }

    @Test
    void aRefusalIsHeardAtOnce() {
        Connection connection = open(true);
        us.toNobody.clear();
        // ECONNREFUSED
        control("0100 0000 0500 0000 0000 3075 6f00");
        assertThat(us.ended).isInstanceOf(PeerUnavailable.class).hasMessageContaining("111");
        assertThat(connection.isEnded()).isTrue();
    }

    @Test
    void anAnswerToAnotherSynIsNone() {
        Connection connection = open(true);
        control("0100 0000 0500 0900 409c 3175 0000");
        assertThat(us.established).isFalse();
        assertThat(connection.forged()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // longer than it is
                "0500 409c 2f75 9475 0500 0100 cafe",
                "0500 409c 2f75 9475 ffff 0100 cafe",
                // cut short
                "0500 409c 2f75 9475 0500",
                "0500",
                // far ahead
                "0500 409d 2f75 9475 0200 0100 cafe"
            })
    void dataThatIsNoneDoesNoHarm(String frame) {
        Connection connection = established();
        data(frame);
        assertThat(us.delivered).isEmpty();
        assertThat(us.ended).isNull();
        connection.add(fragment(connection, "01"), true);
        connection.flush(wire.now);
        assertThat(us.toNobody).isNotEmpty();
    }

    /** What was never sent can't be acknowledged. */
    @Test
    void anAcknowledgementOfTheFutureIsNotBelieved() {
        Connection connection = established();
        connection.add(fragment(connection, "01"), true);
        connection.flush(wire.now);
        control("0300 0000 0500 3175 9876 0000");
        assertThat(connection.hasArrived()).isFalse();
        assertThat(connection.forged()).isEqualTo(1);
        control("0300 0000 0500 3075 9876 0000");
        assertThat(connection.hasArrived()).isTrue();
    }

    @Test
    void noiseDoesNoHarm() {
        SplittableRandom random = new SplittableRandom(4);
        Connection connection = established();
        for (int i = 0; i < 20_000 && !connection.isEnded(); i++) {
            byte[] frame = new byte[random.nextInt(60)];
            for (int at = 0; at < frame.length; at++) {
                // Mostly what could be true.
                frame[at] = random.nextInt(3) == 0 ? (byte) random.nextInt() : (byte) random.nextInt(4);
            }
            wire.give(us, random.nextBoolean(), frame);
            if (!connection.isEnded() && !connection.isFull() && random.nextInt(8) == 0) {
                connection.add(fragment(connection, "01"), true);
            }
            wire.now += random.nextInt(1_000_000);
            if (!connection.isEnded()) {
                connection.timePassed(wire.now);
            }
            us.toNobody.clear();
        }
    }
}
