package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever somebody sends to the port of a node ends that connection with a sentence that names where it came from, and
 * nothing else. Links over a byte stream only.
 */
interface HostilePeerContract extends Receptions {

    /** What comes from somebody who does not speak our protocol, or speaks it wrongly. */
    enum Garbage {
        HTTP("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n"),
        TLS("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003abcdefghijklmnopqrstuvwxyz"),
        SSH("SSH-2.0-OpenSSH_9.6p1 Debian-4\r\n"),
        ZEROS(new byte[64]),
        UNKNOWN_KIND(RawFrame.header(77, 0, 8, 8)),
        KIND_ZERO(RawFrame.header(0, 0, 8, 8)),
        CONTROL_LONGER_THAN_ALL(RawFrame.header(FrameKind.DATA.code(), 9, 8, 8)),
        GIANT(RawFrame.header(FrameKind.DATA.code(), 0, Integer.MAX_VALUE, 8)),
        NEGATIVE(RawFrame.header(FrameKind.DATA.code(), 0, -1, 8)),
        MOST_NEGATIVE(RawFrame.header(FrameKind.NEXT.code(), 0, Integer.MIN_VALUE, 8)),
        GIANT_OF_UNKNOWN_OPTIONAL_KIND(RawFrame.header(200, 0, Integer.MAX_VALUE - 7, 8)),
        NEGATIVE_OF_UNKNOWN_OPTIONAL_KIND(RawFrame.header(200, 0, -16, 8));

        private final String text;

        Garbage(String text) {
            this.text = text;
        }

        Garbage(byte[] bytes) {
            this(new String(bytes, StandardCharsets.ISO_8859_1));
        }

        byte[] bytes() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @EnumSource(Garbage.class)
    default void garbageEndsItsConnectionOnly(Garbage garbage) throws Exception {
        try (Reception reception = Reception.open(contract())) {
            refusesGarbage(reception, reception.raw(), garbage);
            refusesGarbage(reception, reception.rawPeer(), garbage);
            reception.stillServes();
        }
    }

    private static void refusesGarbage(Reception reception, Socket open, Garbage garbage) throws IOException {
        try (Socket socket = open) {
            socket.getOutputStream().write(garbage.bytes());
            End server = reception.next();
            assertRefused(server, socket, ProtocolMismatch.class);
            assertThat(server.received()).isZero();
            assertHungUp(socket);
        }
    }

    @Test
    default void garbageAfterGoodFramesEndsTheConnectionAfterThem() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 0; i < 10; i++) {
                bytes.write(RawFrame.of(FrameKind.DATA, 1, i, new byte[i], new byte[3 * i]));
            }
            bytes.write(Garbage.HTTP.bytes());
            bytes.writeTo(socket.getOutputStream());
            End server = reception.next();
            assertRefused(server, socket, ProtocolMismatch.class);
            assertThat(server.received()).isEqualTo(10);
            reception.stillServes();
        }
    }

    @Test
    default void aFrameThatIsOneByteTooLongIsRefusedBeforeItHasCome() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            End server = reception.next();
            int most = server.link.maxFrame();
            assertThat(most).isLessThan(Integer.MAX_VALUE);
            socket.getOutputStream().write(RawFrame.header(FrameKind.DATA.code(), 0, most + 1, 0));
            assertRefused(server, socket, ProtocolMismatch.class);
        }
    }

    @Test
    default void randomBytesNeverDoHarm() throws Exception {
        SplittableRandom random = Seed.random("random bytes");
        try (Reception reception = Reception.open(contract())) {
            for (int round = 0; round < 60; round++) {
                byte[] bytes = new byte[random.nextInt(5_000)];
                random.nextBytes(bytes);
                try (Socket socket = round % 2 == 0 ? reception.raw() : reception.rawPeer()) {
                    sendThoughUnwanted(socket, bytes);
                    socket.shutdownOutput();
                    End server = reception.next();
                    WeirException reason = server.awaitLost();
                    assertThat(reason).isInstanceOfAny(ProtocolMismatch.class, SessionLost.class);
                    assertThat(reason).hasMessageContaining("127.0.0.1");
                } catch (SocketException e) {
                    assertThat(e)
                            .as("hung up on before all was sent")
                            .hasMessageMatching("(?i).*(reset|broken|closed|not connected).*");
                    assertThat(reception.next().awaitLost()).isInstanceOf(ProtocolMismatch.class);
                }
            }
            reception.stillServes();
        }
    }

    private static void sendThoughUnwanted(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Frames in good order with one wrong bit somewhere: a frame, an end, but never a wrong length or a hang. */
    @Test
    default void singleWrongBitsNeverDoHarm() throws Exception {
        SplittableRandom random = Seed.random("bits");
        try (Reception reception = Reception.open(contract())) {
            for (int round = 0; round < 60; round++) {
                byte[] bytes = RawFrame.of(FrameKind.DATA, 1, round, new byte[7], new byte[100]);
                int bit = random.nextInt(8 * 24);
                bytes[bit / 8] ^= (byte) (1 << (bit % 8));
                try (Socket socket = reception.rawPeer()) {
                    End server = reception.next();
                    socket.getOutputStream().write(bytes);
                    socket.shutdownOutput();
                    assertThat(server.awaitLost()).isInstanceOfAny(ProtocolMismatch.class, SessionLost.class);
                    assertThat(server.received()).isLessThanOrEqualTo(9);
                }
            }
            reception.stillServes();
        }
    }

    @Test
    default void anEndInTheMiddleOfAFrameIsALostSession() throws Exception {
        byte[] frame = RawFrame.of(FrameKind.CREDIT, 1, 2, new byte[5], new byte[50]);
        try (Reception reception = Reception.open(contract())) {
            for (int length : new int[] {0, 1, 7, 8, 15, 16, 17, 31, 32, 40, frame.length - 8, frame.length}) {
                try (Socket socket = reception.rawPeer()) {
                    End server = reception.next();
                    socket.getOutputStream().write(frame, 0, length);
                    socket.shutdownOutput();
                    assertRefused(server, socket, SessionLost.class);
                    assertThat(server.received()).isEqualTo(length == frame.length ? 1 : 0);
                    assertHungUp(socket);
                }
            }
            reception.stillServes();
        }
    }

    @Test
    default void aResetIsALostSession() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            End server = reception.next();
            socket.getOutputStream().write(RawFrame.of(FrameKind.DATA, 1, 0, new byte[0], new byte[100]));
            server.awaitReceived(1);
            socket.setSoLinger(true, 0);
            socket.close();
            assertThat(server.awaitLost()).isInstanceOf(SessionLost.class).hasMessageContaining("127.0.0.1");
            reception.stillServes();
        }
    }

    @Test
    default void framesThatDripArriveWhole() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            End server = reception.next();
            List<Integer> lengths = new ArrayList<>();
            server.sink(frame -> {
                assertThat(Noise.equal(frame.aux(), frame.control())).isTrue();
                assertThat(Noise.equal(frame.channel(), frame.body())).isTrue();
                lengths.add(frame.body().readableBytes());
            });
            for (int i = 0; i < 12; i++) {
                for (byte drop : RawFrame.of(FrameKind.PROBE, 3 * i, i, Noise.copy(i, i), Noise.copy(3 * i, 5 * i))) {
                    socket.getOutputStream().write(drop);
                }
            }
            server.awaitReceived(12);
            assertThat(lengths).containsExactly(0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55);
        }
    }

    @Test
    default void unknownOptionalKindsAreSkipped() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            End server = reception.next();
            server.sink(frame -> assertThat(frame.kind()).isEqualTo(FrameKind.DATA));
            for (int kind : new int[] {FrameKind.OPTIONAL, 200, 255}) {
                for (int length : new int[] {0, 8, 40, 1024}) {
                    socket.getOutputStream().write(RawFrame.header(kind, 0, length, length));
                    socket.getOutputStream().write(RawFrame.of(FrameKind.DATA, 1, 0, new byte[3], new byte[4]));
                }
            }
            server.awaitReceived(12);
            server.check();
        }
    }

    /** The bytes that a link writes are those that the layout draws, and what fills up a frame is zero. */
    @Test
    default void writesFramesAsTheyAreDrawn() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.raw()) {
            End server = reception.next();
            assertThat(socket.getInputStream().readNBytes(Hello.bytes().length)).isEqualTo(Hello.bytes());
            for (int length = 0; length < 40; length++) {
                byte[] control = Noise.copy(length, length % 11);
                byte[] body = Noise.copy(1000 + length, length);
                server.send(new Frame()
                        .set(FrameKind.DATA, 0, -length, 7 * length)
                        .control(control)
                        .body(server.bodies.any(1000 + length, length)));
                byte[] expected = RawFrame.of(FrameKind.DATA, -length, 7 * length, control, body);
                byte[] written = socket.getInputStream().readNBytes(expected.length);
                assertThat(ByteBufUtil.hexDump(written)).isEqualTo(ByteBufUtil.hexDump(expected));
            }
        }
    }

    @Test
    default void aPeerThatNeverReadsHoldsABoundedAmount() throws Exception {
        try (Reception reception = Reception.open(contract());
                Socket socket = reception.rawPeer()) {
            End server = reception.next();
            FrameStream stream = FrameStream.uniform("never read", Math.min(server.link.maxFrame(), 16_000));
            Pump pump = server.pump(stream, Long.MAX_VALUE);
            long taken = FullLinkContract.awaitStandstill(server, pump, 16_000);
            assertThat(taken).isPositive();
            reception.stillServes();
            socket.setSoLinger(true, 0);
            socket.close();
            assertThat(server.awaitLost()).isInstanceOf(SessionLost.class);
        }
    }

    @Test
    default void aCrowdOfSilentGuestsKeepsNobodyOut() throws Exception {
        try (Reception reception = Reception.open(contract());
                Crowd crowd = new Crowd()) {
            for (int i = 0; i < 60; i++) {
                crowd.guests.add(reception.raw());
                assertThat(reception.next().received()).isZero();
            }
            reception.stillServes();
        }
    }

    /** Leaves before the reception closes, which waits a while for guests that do not hang up. */
    record Crowd(List<Socket> guests) implements AutoCloseable {

        Crowd() {
            this(new ArrayList<>());
        }

        @Override
        public void close() throws IOException {
            for (Socket guest : guests) {
                guest.close();
            }
        }
    }

    private static void assertRefused(End server, Socket socket, Class<? extends WeirException> reason) {
        assertThat(server.awaitLost()).isInstanceOf(reason).hasMessageContaining("127.0.0.1:" + socket.getLocalPort());
    }

    /** The other side of a connection that has ended is told so. */
    private static void assertHungUp(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(4096);
        } catch (SocketException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken|closed).*");
        }
    }
}
