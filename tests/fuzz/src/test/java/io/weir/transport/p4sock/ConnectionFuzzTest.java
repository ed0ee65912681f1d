package io.weir.transport.p4sock;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer does that was let in, and so seals its frames rightly: numbers that can't be, acknowledgements of
 * what was never sent, windows that open and shut, ranges upside down. Each fragment is delivered once and in order,
 * and is not said to have come before; what is sent stays the same however often, and what was not acknowledged can be
 * given back; queues, memory and what is sent for one frame stay within their bounds; the time of the next look is
 * never in the past; and when the peer behaves again, all goes on.
 */
class ConnectionFuzzTest {

    private static final int ACCEPTS = HostilePeer.AT_ONCE;
    private static final int CONNECTS = HostilePeer.AT_ONCE | HostilePeer.CONNECTING;
    /** Whose numbers begin at the end of 16 bits. */
    private static final int WRAPS = HostilePeer.AT_ONCE | 2 << 2;

    private static final int DUE = 255;
    private static final int OPEN = HostilePeer.WINDOW_BASE + HostilePeer.ROOM;

    static Stream<byte[]> seeds() {
        return Stream.of(
                script(ACCEPTS, data(0, 20, 1), data(0, 200, 0), data(0, 2, 1), time(8)),
                script(CONNECTS, data(3, 20, 1), data(1, 0, 0), data(2, 9, 0), data(0, 9, 0), data(0, 9, 0), time(DUE)),
                script(WRAPS, data(5, 100, HostilePeer.BURST), data(-100, 5, 0), data(0, 5, 1), time(4), time(4)),
                script(ACCEPTS, data(0, 30, HostilePeer.BADLY_SEALED), data(0, 30, HostilePeer.TOO_LONG)),
                script(ACCEPTS, want(), data(0, 30, HostilePeer.BURST), data(70, 30, 0), time(4), want(), time(DUE)),
                script(CONNECTS, add(), add(), add(), add(), ack(-2, OPEN, 0), time(DUE), ack(0, OPEN, 0)),
                script(ACCEPTS, add(), add(), add(), add(), add(), ack(-5, OPEN, 1, -3, 2), time(DUE), time(DUE)),
                script(ACCEPTS, add(), ack(0, 0, 0), add(), add(), time(DUE), time(DUE), ack(0, 0, 0), time(DUE)),
                script(ACCEPTS, add(), add(), ack(5, 255, 0, 3, 3, -4, 120, -128, 127), time(DUE), time(DUE)),
                script(CONNECTS, device(1), add(), add(), add(), device(0), add(), time(DUE), device(9), time(DUE)),
                script(ACCEPTS, data(2, 0, 1), data(0, 9, 0), data(0, 9, 1)),
                script(ACCEPTS, add(), finish(), ack(-1, OPEN, 0), ack(0, OPEN, 0)),
                script(CONNECTS, add(), finish(), ack(0, OPEN, 2)),
                script(ACCEPTS, data(0, 9, 0), freeze(), data(0, 9, 0), data(3, 9, 0), ack(0, OPEN, 2), time(DUE)),
                script(0, shake(0, 7, 100, 0), shake(0, 7, 100, 0), data(0, 5, 1), add(), time(DUE)),
                script(1, time(DUE), shake(1, 7, 100, 0), shake(1, 7, 9, 0), data(0, 5, 1)),
                script(1, shake(3, 1, 1, 1), shake(1, 7, 100, 1)),
                script(ACCEPTS, noise(30, 3), noise(0, 0), noise(60, 1), noise(4, 4)),
                script(ACCEPTS, flood(14)),
                script(CONNECTS, add(), silence(20)),
                script(0, time(DUE), data(0, 5, 1)),
                script(1, silence(60), shake(1, 7, 9, 0)),
                script(ACCEPTS, data(0, 9, 1), add(), ack(0, OPEN, 2), silence(3)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void nothingIsLostOrDoubledOrStuck(byte[] input) {
        HostilePeer peer = new HostilePeer(new Script(input));
        try {
            peer.play();
        } finally {
            peer.release();
        }
    }

    private static byte[] script(int head, byte[]... deeds) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(head);
        for (byte[] deed : deeds) {
            all.writeBytes(deed);
        }
        return all.toByteArray();
    }

    private static byte[] deed(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static byte[] data(int ahead, int length, int flags) {
        return deed(HostilePeer.DATA, ahead, length, 0, OPEN, flags);
    }

    private static byte[] ack(int ahead, int window, int resend, int... ranges) {
        int[] values = new int[5 + ranges.length];
        values[0] = HostilePeer.ACK;
        values[1] = ahead;
        values[2] = window;
        values[3] = resend;
        values[4] = ranges.length / 2;
        System.arraycopy(ranges, 0, values, 5, ranges.length);
        return deed(values);
    }

    private static byte[] shake(int type, int from, int sequence, int error) {
        return deed(HostilePeer.SHAKE, type, from >>> 8, from, sequence >>> 8, sequence, error);
    }

    private static byte[] time(int quarters) {
        return deed(HostilePeer.TIME, quarters);
    }

    private static byte[] add() {
        return deed(HostilePeer.ADD, 99, HostilePeer.PIECE);
    }

    /** A frame of so many fragments, of which each second one arrives. */
    private static byte[] flood(int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(deed(HostilePeer.ADD, 150, (count - 1) * HostilePeer.FRAGMENTS));
        all.writeBytes(ack(-count, OPEN, 1, 1 - count, 0, 3 - count, 0, 5 - count, 0, 7 - count, 0));
        all.writeBytes(time(DUE));
        all.writeBytes(ack(-3, OPEN, 0));
        return all.toByteArray();
    }

    private static byte[] silence(int times) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < times; i++) {
            all.writeBytes(time(DUE));
        }
        return all.toByteArray();
    }

    private static byte[] want() {
        return deed(HostilePeer.WANT);
    }

    private static byte[] device(int takes) {
        return deed(HostilePeer.DEVICE, takes);
    }

    private static byte[] finish() {
        return deed(HostilePeer.FINISH);
    }

    private static byte[] freeze() {
        return deed(HostilePeer.FREEZE);
    }

    private static byte[] noise(int length, int type) {
        return deed(HostilePeer.NOISE, length, type, 5, 0, 0, 0, 1, 2, 3, 4);
    }
}
