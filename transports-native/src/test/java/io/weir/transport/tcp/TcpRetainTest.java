package io.weir.transport.tcp;

import static io.weir.transport.tcp.TcpNodes.data;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.weir.core.FilePiece;
import io.weir.core.FileSource;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.loop.Received;
import io.weir.transport.stream.FrameParserTest;
import io.weir.transport.tcp.TcpLinkTest.Plain;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A link that keeps what it sends, against a plain socket that acknowledges what it likes. */
@Timeout(90)
class TcpRetainTest {

    /** Half of what waits until the link says no is more than the buffers of both sockets can ever hold. */
    private static final Map<String, String> BLOCKED = Map.of("high-water", "16m", "send-buffer", "64k");

    private static Frame ack(long frames) {
        return new Frame().set(FrameKind.ACK, 0, 0, 0).words(frames, 0);
    }

    private static void say(Plain plain, long... acks) throws Exception {
        ByteBuf bytes = Unpooled.buffer();
        for (long frames : acks) {
            bytes.writeBytes(FrameParserTest.wire(ack(frames)));
        }
        plain.say(bytes);
    }

    private static Plain retaining(boolean onEpoll) throws Exception {
        Plain plain = new Plain(onEpoll, Map.of()).receiving();
        OnLoop.run(plain.loop, () -> plain.link.retain(1));
        plain.say(FrameParserTest.hello());
        assertThat(plain.received.next().body()).startsWith("WEIR");
        return plain;
    }

    private static Frame body(ByteBuf body) {
        return new Frame().set(FrameKind.DATA, 0, 1, 0).body(body);
    }

    private static ByteBuf bytes(int length) {
        return Unpooled.directBuffer(length).writeZero(length);
    }

    /** Reads exactly what is expected next. */
    private static void expect(Plain plain, Frame... frames) throws Exception {
        ByteBuf expected = Unpooled.buffer();
        for (Frame frame : frames) {
            expected.writeBytes(FrameParserTest.wire(frame));
        }
        byte[] seen = plain.socket.getInputStream().readNBytes(expected.readableBytes());
        assertThat(ByteBufUtil.hexDump(seen)).isEqualTo(ByteBufUtil.hexDump(expected));
    }

    /** What comes back, as text; on the loop's thread. */
    private static List<String> handedBack(Link link) {
        List<String> back = new ArrayList<>();
        assertThat(link.handBack(frame -> {
                    back.add(frame.body().toString(StandardCharsets.UTF_8));
                    frame.release();
                }))
                .isTrue();
        return back;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void asksBeforeTheFirstFrameThatItKeeps(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            List<String> back = OnLoop.get(plain.loop, () -> {
                assertThat(plain.link.offer(data("before"))).isTrue();
                plain.link.retain(1);
                assertThat(plain.link.offer(data("kept"))).isTrue();
                List<String> all = handedBack(plain.link);
                plain.link.close();
                assertThat(plain.link.handBack(frame -> {})).isFalse();
                return all;
            });
            expect(plain, data("before"), ack(0), data("kept"));
            assertThat(back).containsExactly("kept");
        }
    }

    @Test
    void keepsOnlyWhenItWasAskedAndAsksOnce() throws Exception {
        try (Plain plain = new Plain(true, Map.of()).receiving()) {
            OnLoop.run(plain.loop, () -> {
                assertThat(plain.link.offer(data("gone"))).isTrue();
                assertThat(plain.link.handBack(frame -> {})).isFalse();
                assertThatThrownBy(() -> plain.link.offer(ack(1))).isInstanceOf(IllegalArgumentException.class);
                plain.link.retain(1);
                assertThatThrownBy(() -> plain.link.retain(1)).isInstanceOf(IllegalStateException.class);
                plain.link.close();
                plain.link.retain(1);
            });
            expect(plain, data("gone"), ack(0));
            plain.socket.shutdownOutput();
            assertThat(plain.rest()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void saysNoAtItsBoundUntilHalfOfItIsAcknowledged(boolean onEpoll) throws Exception {
        try (Plain plain = retaining(onEpoll)) {
            List<ByteBuf> bodies = new ArrayList<>();
            boolean taken = true;
            while (taken) {
                ByteBuf body = bytes(32_000);
                bodies.add(body);
                taken = OnLoop.get(plain.loop, () -> plain.offer(body));
            }
            assertThat(bodies.remove(bodies.size() - 1).release()).isTrue();
            int count = bodies.size();
            assertThat(count * 32_016L).isBetween(Kept.LEAST, Kept.LEAST + 2 * 32_016L);
            expect(plain, ack(0));
            plain.socket.getInputStream().skipNBytes(count * 32_016L);
            say(plain, 1, 2);
            hear(plain, "reached");
            assertThat(OnLoop.get(plain.loop, () -> refCounts(bodies)))
                    .isEqualTo(IntStream.range(0, count)
                            .mapToObj(i -> i < 2 ? 0 : 1)
                            .toList());
            assertThat(plain.received.writables).hasValue(0);
            say(plain, count);
            hear(plain, "reached");
            assertThat(OnLoop.get(plain.loop, () -> refCounts(bodies))).isEqualTo(Collections.nCopies(count, 0));
            OnLoop.run(plain.loop, () -> {});
            assertThat(plain.received.writables).hasValue(1);
            TcpNodes.send(plain.link, plain.loop, data("room"));
            expect(plain, data("room"));
            plain.received.check();
        }
    }

    /** Everything that the plain side has said before was read when this has arrived. */
    private static void hear(Plain plain, String text) throws Exception {
        plain.say(FrameParserTest.wire(data(text)));
        assertThat(plain.received.next().body()).isEqualTo(text);
    }

    private static List<Integer> refCounts(List<ByteBuf> bodies) {
        return bodies.stream().map(ByteBuf::refCnt).toList();
    }

    /**
     * In order, from at most the first that is not acknowledged on, whatever is acknowledged and however the frames are
     * padded.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givesBackWhatIsNotAcknowledged(boolean onEpoll) throws Exception {
        int[] lengths = {0, 3, 9_001, 9_008, 20_003, 5, 8, 8 << 10, (8 << 10) + 1, 1, 65_000, 7};
        for (int acknowledged = 0; acknowledged <= lengths.length; acknowledged++) {
            try (Plain plain = retaining(onEpoll)) {
                List<String> sent = new ArrayList<>();
                OnLoop.run(plain.loop, () -> {
                    for (int length : lengths) {
                        String text = Character.toString('a' + sent.size()).repeat(length);
                        sent.add(text);
                        assertThat(plain.link.offer(data(text))).isTrue();
                    }
                });
                if (acknowledged > 0) {
                    say(plain, acknowledged);
                }
                hear(plain, "reached");
                List<String> back = OnLoop.get(plain.loop, () -> handedBack(plain.link));
                assertThat(back).hasSizeBetween(sent.size() - acknowledged, sent.size());
                assertThat(back).isEqualTo(sent.subList(sent.size() - back.size(), sent.size()));
                if (acknowledged == sent.size()) {
                    assertThat(back).isEmpty();
                }
                OnLoop.run(plain.loop, plain.link::close);
                plain.socket.shutdownOutput();
                assertThat(plain.rest()).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void longBodiesComeBackWithoutACopy(boolean onEpoll) throws Exception {
        try (Plain plain = retaining(onEpoll)) {
            ByteBuf body = bytes(60_001);
            ByteBuf part = bytes(1 << 20);
            long[] sent = {body.memoryAddress(), part.memoryAddress() + 500_000};
            OnLoop.run(plain.loop, () -> {
                assertThat(plain.link.offer(body(body))).isTrue();
                assertThat(plain.link.offer(body(part.retainedSlice(500_000, 10_000))))
                        .isTrue();
            });
            OnLoop.run(plain.loop, () -> {
                List<Long> places = new ArrayList<>();
                assertThat(plain.link.handBack(frame -> {
                            places.add(frame.body().memoryAddress());
                            frame.release();
                        }))
                        .isTrue();
                assertThat(places).containsExactly(sent[0], sent[1]);
                plain.link.close();
            });
            plain.socket.shutdownOutput();
            assertThat(plain.rest()).hasSizeGreaterThan(70_000);
            OnLoop.run(plain.loop, () -> {
                assertThat(body.refCnt()).isZero();
                assertThat(part.refCnt()).isOne();
            });
            assertThat(part.release()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPieceOfAFileCantComeBackUntilItHasArrived(boolean onEpoll, @TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[1_001]);
        for (int acknowledged : new int[] {1, 2}) {
            try (Plain plain = retaining(onEpoll)) {
                OnLoop.run(plain.loop, () -> {
                    assertThat(plain.link.offer(data("first"))).isTrue();
                    assertThat(plain.link.offer(new Frame()
                                    .set(FrameKind.DATA, 0, 1, 0)
                                    .region(new DefaultFileRegion(file.toFile(), 0, 1_001))))
                            .isTrue();
                    assertThat(plain.link.offer(data("last"))).isTrue();
                });
                say(plain, acknowledged);
                hear(plain, "reached");
                OnLoop.run(plain.loop, () -> {
                    if (acknowledged == 1) {
                        assertThat(plain.link.handBack(frame -> {
                                    throw new AssertionError("given back: " + frame);
                                }))
                                .isFalse();
                    } else {
                        assertThat(handedBack(plain.link)).containsExactly("last");
                    }
                });
            }
        }
    }

    @Test
    void aPieceOfAFileSourceComesBackAsMemory(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("file"), "in a file");
        try (Plain plain = retaining(true);
                FileSource file = FileSource.open(path)) {
            FilePiece piece = file.piece(3, 6);
            OnLoop.run(plain.loop, () -> {
                assertThat(plain.link.offer(data("first"))).isTrue();
                assertThat(plain.link.offer(
                                new Frame().set(FrameKind.DATA, 0, 1, 0).region(piece)))
                        .isTrue();
                assertThat(plain.link.offer(data("last"))).isTrue();
            });
            say(plain, 1);
            hear(plain, "reached");
            OnLoop.run(plain.loop, () -> {
                assertThat(handedBack(plain.link)).containsExactly("first", "a file", "last");
                plain.link.close();
            });
            assertThat(OnLoop.get(plain.loop, piece::refCnt)).isZero();
        }
    }

    /** The length was told already: the link can't go on, and nobody can say what was meant to follow. */
    @Test
    void aPieceThatHasGoneCantComeBack(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("file"), "in a file");
        try (Plain plain = retaining(true);
                FileSource file = FileSource.open(path)) {
            FilePiece piece = file.piece(3, 6);
            OnLoop.run(
                    plain.loop,
                    () -> assertThat(plain.link.offer(
                                    new Frame().set(FrameKind.DATA, 0, 1, 0).region(piece)))
                            .isTrue());
            Files.writeString(path, "");
            OnLoop.run(plain.loop, () -> {
                assertThat(plain.link.handBack(frame -> {
                            throw new AssertionError("given back: " + frame);
                        }))
                        .isFalse();
                plain.link.close();
            });
        }
    }

    @Test
    void whatComesBackToOneWhoFailsIsReleased() throws Exception {
        try (Plain plain = retaining(true)) {
            List<ByteBuf> bodies = List.of(bytes(10_000), bytes(10_000), bytes(10_000));
            OnLoop.run(plain.loop, () -> {
                bodies.forEach(body -> assertThat(plain.link.offer(body(body))).isTrue());
                assertThatThrownBy(() -> plain.link.handBack(frame -> {
                            frame.release();
                            throw new IllegalStateException("no more");
                        }))
                        .hasMessage("no more");
                plain.link.close();
            });
            plain.socket.shutdownOutput();
            assertThat(plain.rest()).isNotEmpty();
            OnLoop.run(plain.loop, () -> assertThat(refCounts(bodies)).containsExactly(0, 0, 0));
        }
    }

    /** Two frames were sent. */
    @ParameterizedTest
    @CsvSource({
        "true, '3'",
        "false, '3'",
        "true, '-1'",
        "true, '1 1'",
        "false, '2 1'",
        "true, '0 0'",
        "true, '9223372036854775807'",
        "true, '1 -9223372036854775808'"
    })
    void anAckThatCantBeEndsTheLink(boolean onEpoll, String acks) throws Exception {
        try (Plain plain = retaining(onEpoll)) {
            List<String> back = new ArrayList<>();
            Received handler = new Received(plain.loop) {
                @Override
                public void lost(WeirException reason) {
                    back.addAll(handedBack(plain.link));
                    super.lost(reason);
                }
            };
            OnLoop.run(plain.loop, () -> {
                plain.link.handler(handler);
                assertThat(plain.link.offer(data("one"))).isTrue();
                assertThat(plain.link.offer(data("two"))).isTrue();
            });
            say(plain, Arrays.stream(acks.split(" ")).mapToLong(Long::parseLong).toArray());
            assertThat(OnLoop.await(handler.lost))
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessage("what connected from " + plain.name() + " broke the protocol: it sent an ACK of "
                            + acks.substring(acks.indexOf(' ') + 1) + " frames, which can't be");
            handler.check();
            assertThat(back).isSubsetOf("one", "two");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -1, 0x1_0000_0000L})
    void anAckThatNobodyAskedForEndsTheLink(long frames) throws Exception {
        try (Plain plain = new Plain(true, Map.of()).receiving()) {
            TcpNodes.send(plain.link, plain.loop, data("one"));
            plain.say(FrameParserTest.hello());
            say(plain, frames);
            assertThat(plain.lost()).isInstanceOf(ProtocolMismatch.class).hasMessageContaining("an ACK of " + frames);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acknowledgesWhatWasDeliveredSinceItWasAsked(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, Map.of()).receiving()) {
            plain.say(FrameParserTest.hello().writeBytes(FrameParserTest.wire(data("unasked"))));
            say(plain, 0);
            assertThat(plain.received.next().body()).startsWith("WEIR");
            assertThat(plain.received.next().body()).isEqualTo("unasked");
            hear(plain, "one");
            expect(plain, ack(1));
            hear(plain, "two");
            hear(plain, "x".repeat(60_000));
            expect(plain, ack(3));
            for (int i = 0; i < 1_000; i++) {
                plain.say(FrameParserTest.wire(data("many")));
            }
            ByteBuf seen = Unpooled.buffer();
            long frames = 3;
            while (frames < 1_003) {
                byte[] next = plain.socket.getInputStream().readNBytes(24);
                long said = seen.clear().writeBytes(next).getLongLE(16);
                assertThat(said).isBetween(frames + 1, 1_003L);
                frames = said;
            }
            plain.received.check();
        }
    }

    /** A peer that sends and does not read can't make us gather what we have to tell it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acksThatFindNoRoomAreOne(boolean onEpoll) throws Exception {
        try (Plain plain = new Plain(onEpoll, BLOCKED).receiving()) {
            plain.say(FrameParserTest.hello());
            long taken = TcpLinkTest.fill(plain);
            say(plain, 0);
            assertThat(plain.received.next().body()).startsWith("WEIR");
            for (int i = 0; i < 50; i++) {
                hear(plain, "x".repeat(9_000));
            }
            plain.socket.getInputStream().skipNBytes(taken * 32_016L);
            expect(plain, ack(50));
        }
    }

    /** Whether or not anybody asks for what was kept, and in whatever way the link ends. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void whatIsKeptIsReleasedOnce(int way) throws Exception {
        List<ByteBuf> bodies = new ArrayList<>();
        try (Plain plain = new Plain(way % 2 == 0, BLOCKED)) {
            if (way != 4) {
                var unused = plain.receiving();
            }
            OnLoop.run(plain.loop, () -> plain.link.retain(64 << 20));
            for (boolean taken = true; taken; ) {
                ByteBuf body = bytes(20_001);
                taken = OnLoop.get(plain.loop, () -> plain.offer(body));
                if (taken) {
                    bodies.add(body);
                } else {
                    assertThat(body.release()).isTrue();
                }
            }
            assertThat(OnLoop.get(plain.loop, () -> refCounts(bodies))).doesNotContain(0);
            switch (way) {
                case 0, 1 -> {
                    plain.socket.setSoLinger(true, 0);
                    plain.socket.close();
                    assertThat(plain.lost()).isNotNull();
                }
                case 2, 3, 4 -> {
                    OnLoop.run(plain.loop, plain.link::close);
                    plain.socket.shutdownOutput();
                    assertThat(plain.rest()).isNotEmpty();
                }
                default -> {
                    // The loop ends, and the link with it.
                }
            }
        }
        assertThat(refCounts(bodies)).containsOnly(0);
    }
}
