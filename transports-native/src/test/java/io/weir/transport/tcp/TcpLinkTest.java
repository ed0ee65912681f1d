package io.weir.transport.tcp;

import static io.weir.transport.tcp.TcpNodes.data;
import static io.weir.transport.tcp.TcpNodes.hello;
import static io.weir.transport.tcp.TcpNodes.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.weir.core.Bootstrap;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.PeerAddress;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.loop.Received;
import io.weir.transport.stream.FrameParserTest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A link against a plain socket, which says what it likes, and against another process, which dies. */
@Timeout(90)
class TcpLinkTest {

    /** One of our links and, at its other end, a plain socket. */
    static final class Plain implements AutoCloseable {

        final TcpNodes nodes;
        final NettyLoop loop;
        final Link link;
        final Received received;
        final Socket socket;
        private final Bootstrap.Listener listener;
        /** How often room had been told of when an offer was refused last. */
        int writablesAtLastNo;

        Plain(boolean onEpoll, Map<String, String> options) throws Exception {
            nodes = new TcpNodes(onEpoll, options);
            loop = nodes.loop("server");
            listener = nodes.listen(new PeerAddress("127.0.0.1", 0), loop);
            socket = new Socket(
                    InetAddress.getLoopbackAddress(), listener.address().port());
            socket.setSoTimeout(30_000);
            link = nodes.accepted().link();
            received = new Received(loop);
        }

        Plain receiving() {
            OnLoop.run(loop, () -> link.handler(received));
            return this;
        }

        boolean offer(ByteBuf body) {
            boolean taken = link.offer(new Frame().set(FrameKind.DATA, 0, 1, 0).body(body));
            if (!taken) {
                writablesAtLastNo = received.writables.get();
            }
            return taken;
        }

        void say(ByteBuf bytes) throws Exception {
            OutputStream out = socket.getOutputStream();
            bytes.readBytes(out, bytes.readableBytes());
            out.flush();
        }

        String name() {
            return "tcp://127.0.0.1:" + socket.getLocalPort();
        }

        WeirException lost() {
            WeirException reason = OnLoop.await(received.lost);
            received.check();
            assertThat(OnLoop.get(loop, () -> link.offer(data("late")))).isFalse();
            return reason;
        }

        /** Reads what is left until the end, or the reset, of the stream. */
        byte[] rest() {
            try {
                return socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                return new byte[0];
            }
        }

        @Override
        public void close() throws Exception {
            socket.close();
            listener.dispose();
            nodes.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsABrowserFromAPeer(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            plain.say(Unpooled.copiedBuffer("GET / HTTP/1.1\r\nHost: here\r\n\r\n", StandardCharsets.US_ASCII));
            assertThat(plain.lost())
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessage("what connected from " + plain.name()
                            + " does not speak Weir: it sent 'GET / HTTP/1.1\\x0d\\x0a…'");
            assertThat(plain.rest()).isEmpty();
        }
    }

    /**
     * Whoever is sent away and never closes keeps no descriptor of ours, but for some; all get their word nevertheless
     * if they read.
     */
    @Test
    void whoIsDismissedIsAwaitedByFew() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (TcpNodes nodes = new TcpNodes(true, Map.of("linger", "1m"))) {
            NettyLoop loop = nodes.loop("server");
            Bootstrap.Listener listener = nodes.listen(new PeerAddress("127.0.0.1", 0), loop);
            for (int i = 0; i < 2 * TcpLink.MOST_ENDING; i++) {
                strangers.add(new Socket(
                        InetAddress.getLoopbackAddress(), listener.address().port()));
                Link link = nodes.accepted().link();
                OnLoop.run(loop, () -> {
                    link.handler(new Received(loop));
                    assertThat(link.offer(data("not you"))).isTrue();
                    link.dismiss();
                });
            }
            OnLoop.until(() -> OnLoop.get(loop, loop::delays) == TcpLink.MOST_ENDING);
            for (Socket each : strangers) {
                each.setSoTimeout(30_000);
                assertThat(each.getInputStream().readAllBytes()).isNotEmpty();
                each.close();
            }
            listener.dispose();
        }
    }

    @Test
    void tellsAStrangeServerFromAPeer() throws Exception {
        try (ServerSocket stranger = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                TcpNodes nodes = new TcpNodes(true, Map.of())) {
            NettyLoop loop = nodes.loop("client");
            PeerAddress address = new PeerAddress("127.0.0.1", stranger.getLocalPort());
            Link link = nodes.connect(address, loop);
            Received received = new Received(loop);
            OnLoop.run(loop, () -> link.handler(received));
            try (Socket socket = stranger.accept()) {
                socket.getOutputStream().write("SSH-2.0-OpenSSH_9.2p1\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(OnLoop.await(received.lost))
                        .isInstanceOf(ProtocolMismatch.class)
                        .hasMessage("what listens at " + address + " does not speak Weir: it sent 'SSH-2.0-OpenSSH_…'");
            }
        }
    }

    @Test
    void noiseEndsTheConnectionWithAClearErrorAndNothingElse() throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        for (int round = 0; round < 30; round++) {
            try (Plain plain = new Plain(round % 2 == 0, Map.of()).receiving()) {
                ByteBuf noise = Unpooled.buffer();
                if (round % 3 > 0) {
                    noise.writeBytes(FrameParserTest.hello());
                }
                byte[] bytes = new byte[1 + random.nextInt(200_000)];
                random.nextBytes(bytes);
                bytes[3] |= (byte) 0x80;
                noise.writeBytes(bytes);
                try {
                    plain.say(noise);
                    plain.socket.shutdownOutput();
                } catch (IOException e) {
                    assertThat(e).as("the connection was closed meanwhile").isInstanceOf(SocketException.class);
                }
                assertThat(plain.lost()).isInstanceOf(ProtocolMismatch.class).hasMessageContaining(plain.name());
                assertThat(plain.received.frames.size()).isEqualTo(round % 3 > 0 ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsHowTheConnectionHasEnded(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            plain.socket.close();
            assertThat(plain.lost())
                    .isInstanceOf(SessionLost.class)
                    .hasMessage("the connection from " + plain.name() + " has ended: the other side closed it");
        }
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            plain.say(Unpooled.copiedBuffer("hi", StandardCharsets.US_ASCII));
            plain.socket.close();
            assertThat(plain.lost()).isInstanceOf(ProtocolMismatch.class).hasMessageContaining("it sent 'hi'");
        }
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            ByteBuf cut = FrameParserTest.hello().writeBytes(FrameParserTest.wire(data("never whole")), 20);
            plain.say(cut);
            plain.socket.close();
            assertThat(plain.lost())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageEndingWith("the other side closed it in the middle of a frame");
            assertThat(plain.received.frames).hasSize(1);
        }
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            plain.say(FrameParserTest.hello());
            assertThat(plain.received.next().body()).startsWith("WEIR");
            plain.socket.setSoLinger(true, 0);
            plain.socket.close();
            assertThat(plain.lost())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageStartingWith("the connection from " + plain.name() + " is broken: ")
                    .hasMessageContaining("reset");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void framesAndTheEndWaitForAHandler(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of())) {
            plain.say(FrameParserTest.hello().writeBytes(FrameParserTest.wire(data("early"))));
            plain.socket.close();
            for (int i = 0; i < 50; i++) {
                OnLoop.run(plain.loop, () -> {});
            }
            OnLoop.run(plain.loop, () -> plain.link.handler(plain.received));
            assertThat(plain.received.next().body()).startsWith("WEIR");
            assertThat(plain.received.next().body()).isEqualTo("early");
            assertThat(plain.lost()).isInstanceOf(SessionLost.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStrangerThatHasGoneBeforeTheHandlerCameIsStillCalledOne(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of())) {
            plain.say(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
            plain.socket.close();
            for (int i = 0; i < 50; i++) {
                OnLoop.run(plain.loop, () -> {});
            }
            OnLoop.run(plain.loop, () -> plain.link.handler(plain.received));
            assertThat(plain.lost()).isInstanceOf(ProtocolMismatch.class).hasMessageContaining("it sent 'GET / HT");
        }
    }

    @Test
    void linksOfOneLoopGatherInOneBufferEachItsOwn() throws Exception {
        try (Plain first = new Plain(true, Map.of());
                Socket another = new Socket(
                        InetAddress.getLoopbackAddress(),
                        first.listener.address().port())) {
            Link second = first.nodes.accepted().link();
            ByteBuf toFirst = Unpooled.buffer();
            ByteBuf toSecond = Unpooled.buffer();
            SplittableRandom random = new SplittableRandom(7);
            OnLoop.run(first.loop, () -> {
                for (int i = 0; i < 400; i++) {
                    boolean one = random.nextBoolean();
                    byte[] bytes = new byte[random.nextInt(10) == 0 ? 9_000 : random.nextInt(300)];
                    random.nextBytes(bytes);
                    Frame frame = new Frame().set(FrameKind.DATA, 0, 1, i).body(Unpooled.copiedBuffer(bytes));
                    (one ? toFirst : toSecond).writeBytes(FrameParserTest.wire(frame));
                    assertThat((one ? first.link : second).offer(frame)).isTrue();
                }
            });
            assertThat(Unpooled.wrappedBuffer(first.socket.getInputStream().readNBytes(toFirst.readableBytes())))
                    .isEqualTo(toFirst);
            another.setSoTimeout(30_000);
            assertThat(Unpooled.wrappedBuffer(another.getInputStream().readNBytes(toSecond.readableBytes())))
                    .isEqualTo(toSecond);
            OnLoop.run(first.loop, second::close);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsWrittenIsWhatTheLayoutSays(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            ByteBuf expected = Unpooled.buffer();
            List<Frame> frames = new ArrayList<>();
            byte[] control = {1, 2, 3};
            for (int length : new int[] {0, 1, 8 << 10, (8 << 10) + 1, 40_000, 65_533}) {
                Frame frame = new Frame()
                        .set(FrameKind.CREDIT, 3, 5, length)
                        .words(1, -2)
                        .control(control);
                ByteBuf body = Unpooled.directBuffer().writeZero(length);
                expected.writeBytes(FrameParserTest.wire(frame.body(body)));
                frames.add(frame);
            }
            OnLoop.run(
                    plain.loop,
                    () -> frames.forEach(
                            frame -> assertThat(plain.link.offer(frame)).isTrue()));
            byte[] seen = plain.socket.getInputStream().readNBytes(expected.readableBytes());
            assertThat(Unpooled.wrappedBuffer(seen)).isEqualTo(expected);
            for (Frame frame : frames) {
                ByteBuf body = frame.body();
                OnLoop.run(plain.loop, () -> assertThat(body.refCnt()).isZero());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendsPiecesOfFiles(boolean onEpoll, @TempDir Path folder) throws Exception {
        byte[] content = new byte[100_000];
        new SplittableRandom(1).nextBytes(content);
        Path file = Files.write(folder.resolve("file"), content);
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            assertThat(OnLoop.get(plain.loop, plain.link::takesRegions)).isTrue();
            FileRegion region = new DefaultFileRegion(file.toFile(), 1_000, 50_001);
            send(
                    plain.link,
                    plain.loop,
                    new Frame().set(FrameKind.DATA, 0, 1, 0).region(region));
            send(plain.link, plain.loop, data("behind"));
            ByteBuf expected = FrameParserTest.wire(new Frame()
                            .set(FrameKind.DATA, 0, 1, 0)
                            .body(Unpooled.wrappedBuffer(content, 1_000, 50_001)))
                    .writeBytes(FrameParserTest.wire(data("behind")));
            byte[] seen = plain.socket.getInputStream().readNBytes(expected.readableBytes());
            assertThat(Unpooled.wrappedBuffer(seen)).isEqualTo(expected);
            assertThat(OnLoop.get(plain.loop, region::refCnt)).isZero();

            FileRegion tooLong = new DefaultFileRegion(file.toFile(), 0, 5L << 32);
            assertThatThrownBy(() -> OnLoop.get(
                            plain.loop,
                            () -> plain.link.offer(
                                    new Frame().set(FrameKind.DATA, 0, 1, 0).region(tooLong))))
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(tooLong.release()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatIsShorterThanItsPieceBreaksTheLink(boolean onEpoll, @TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[100]);
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            FileRegion region = new DefaultFileRegion(file.toFile(), 0, 50_000);
            send(
                    plain.link,
                    plain.loop,
                    new Frame().set(FrameKind.DATA, 0, 1, 0).region(region));
            assertThat(plain.lost()).isInstanceOf(SessionLost.class).hasMessageContaining("is broken: ");
            assertThat(OnLoop.get(plain.loop, region::refCnt)).isZero();
        }
    }

    @Test
    void refusesABodyThatWasReleasedAndGoesOn() throws Exception {
        try (Plain plain = new Plain(true, Map.of()).receiving()) {
            for (int length : new int[] {10, 20_000}) {
                ByteBuf released = Unpooled.buffer().writeZero(length);
                released.release();
                assertThatThrownBy(() -> OnLoop.get(
                                plain.loop,
                                () -> plain.link.offer(
                                        new Frame().set(FrameKind.DATA, 0, 1, 0).body(released))))
                        .hasCauseInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("released");
            }
            send(plain.link, plain.loop, data("x"));
            ByteBuf expected = FrameParserTest.wire(data("x"));
            assertThat(Unpooled.wrappedBuffer(plain.socket.getInputStream().readNBytes(expected.readableBytes())))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void saysNoAtItsHighWaterMarkAndCallsWhenThereIsRoom(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of("high-water", "128k", "send-buffer", "64k")).receiving()) {
            long taken = fill(plain);
            assertThat(taken * 32_000).isGreaterThanOrEqualTo(128 << 10);
            int before = plain.writablesAtLastNo;
            assertThat(plain.socket.getInputStream().readNBytes((int) taken * 32_016))
                    .hasSize((int) taken * 32_016);
            while (plain.received.writables.get() == before) {
                OnLoop.run(plain.loop, () -> {});
            }
            send(plain.link, plain.loop, data("room"));
            OnLoop.run(plain.loop, () -> {});
            assertThat(plain.received.writables).hasValue(before + 1);
            plain.received.check();
        }
    }

    /** Offers until the link says no although it has flushed. */
    static long fill(Plain plain) {
        long taken = 0;
        int noes = 0;
        while (noes < 20) {
            ByteBuf body = Unpooled.directBuffer().writeZero(32_000);
            if (OnLoop.get(plain.loop, () -> plain.offer(body))) {
                taken++;
                noes = 0;
            } else {
                assertThat(body.release()).isTrue();
                noes++;
            }
            assertThat(taken).isLessThan(10_000);
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingDeliversEverythingToAPeerThatReadsLate(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            long taken = fill(plain);
            OnLoop.run(plain.loop, plain.link::close);
            OnLoop.run(plain.loop, plain.link::close);
            // Closing the loop waits for the farewell.
            var closed = plain.loop.close();
            CountDownLatch ended = new CountDownLatch(1);
            var unused = closed.subscribe(nothing -> {}, failure -> {}, ended::countDown);
            plain.say(FrameParserTest.hello());
            assertThat(plain.rest()).hasSize((int) taken * 32_016);
            assertThat(ended.getCount()).isEqualTo(1);
            plain.socket.close();
            OnLoop.await(ended);
            assertThat(plain.received.lost).isNotDone();
            assertThat(plain.received.frames).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingGivesAPeerUpThatDoesNotRead(boolean onEpoll) throws Exception {
        // More waits than the buffers of both sockets can ever hold.
        Map<String, String> options = Map.of("linger", "100ms", "high-water", "16m", "send-buffer", "64k");
        try (Plain plain = new Plain(onEpoll, options).receiving()) {
            long taken = fill(plain);
            ByteBuf last = Unpooled.directBuffer().writeZero(9_000);
            OnLoop.run(plain.loop, plain.link::close);
            assertThat(OnLoop.get(
                            plain.loop,
                            () -> plain.link.offer(
                                    new Frame().set(FrameKind.DATA, 0, 1, 0).body(last))))
                    .isFalse();
            assertThat(last.release()).isTrue();
            plain.loop.close().block(TcpNodes.PATIENCE);
            assertThat(plain.rest().length).isLessThan((int) taken * 32_016);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLinkIsLostWithItsLoop(boolean onEpoll) throws Exception {
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            NettyLoop server = nodes.loop("server");
            Bootstrap.Listener listener = nodes.listen(new PeerAddress("127.0.0.1", 0), server);
            NettyLoop client = NettyLoop.start("dying", Waiting.FRUGAL, onEpoll);
            Link connected = nodes.connect(listener.address(), client);
            Link accepted = nodes.accepted().link();
            Received here = new Received(client);
            Received there = new Received(server);
            OnLoop.run(client, () -> connected.handler(here));
            OnLoop.run(server, () -> accepted.handler(there));
            send(connected, client, hello());
            assertThat(there.next().body()).startsWith("WEIR");
            client.close().block(TcpNodes.PATIENCE);
            assertThat(here.lost)
                    .isCompletedWithValueMatching(
                            reason -> reason.getMessage().contains("with the loop that it was on"));
            assertThat(OnLoop.await(there.lost)).hasMessageContaining("the other side closed it");
            listener.dispose();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKilledPeerIsLostAtOnceWithEverythingReleased(boolean onEpoll) throws Exception {
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            NettyLoop loop = nodes.loop("server");
            Bootstrap.Listener listener = nodes.listen(new PeerAddress("127.0.0.1", 0), loop);
            Process peer = FloodingPeer.start(listener.address(), onEpoll);
            try {
                Link link = nodes.accepted().link();
                Received received = new Received(loop);
                OnLoop.run(loop, () -> link.handler(received));
                for (int i = 0; i < 1_000; i++) {
                    assertThat(received.next()).isNotNull();
                }
                String libraries = peer.inputReader().readLine();
                assertThat(libraries.contains("epoll")).as(libraries).isEqualTo(onEpoll);
                assertThat(libraries.equals("native libraries: []"))
                        .as(libraries)
                        .isEqualTo(!onEpoll);
                assertThat(peer.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(OnLoop.await(received.lost)).isInstanceOf(SessionLost.class);
                received.check();
            } finally {
                peer.destroyForcibly();
            }
            listener.dispose();
        }
    }
}
