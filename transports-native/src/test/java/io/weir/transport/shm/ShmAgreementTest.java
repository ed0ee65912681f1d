package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Misconfigured;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Lingering;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.Posix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@ExtendWith(NothingLeft.class)
class ShmAgreementTest {

    private static final SegmentLayout SMALL = new SegmentLayout(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL);

    @TempDir
    Path folder;

    private NettyLoop left;
    private NettyLoop right;

    @BeforeEach
    void loops() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        left = NettyLoop.start("left", Waiting.BALANCED, true);
        right = NettyLoop.start("right", Waiting.BALANCED, true);
    }

    @AfterEach
    void loopsAndSocketsAreGone() throws IOException {
        left.close().block(ShmPair.LONG);
        right.close().block(ShmPair.LONG);
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private TransportSettings settings() {
        return new TransportSettings(folder, true, Map.of("ring-size", "64k", "pool-size", "64k"));
    }

    private PendingLink connecting() {
        return ShmPair.prepare(left, true, settings());
    }

    private PendingLink accepting() {
        return ShmPair.prepare(right, false, settings());
    }

    private static <T extends WeirException> T failure(CompletableFuture<Link> completion, Class<T> type) {
        Throwable cause = null;
        try {
            Link unexpected = OnLoop.await(completion);
            assertThat(unexpected).as("a failure").isNull();
        } catch (CompletionException e) {
            cause = e.getCause();
        }
        assertThat(cause).isInstanceOf(type);
        return type.cast(cause);
    }

    /** The accepting half, completed with an offer of a fake peer, and that peer, who has shown the nonce. */
    private final class Fake {

        final PendingLink pending = accepting();
        final ShmOffer offered = ShmOffer.decode(pending.offer(), true);
        final Nonce nonce = Nonce.random();
        final CompletableFuture<Link> completion =
                pending.complete(new ShmOffer(SMALL, nonce, "").encode()).toFuture();
        final FakePeer peer = new FakePeer(left, offered.socket());

        Fake() throws InterruptedException {
            peer.say(FakePeer.greeting(offered.nonce()));
            assertThat(peer.hear()).containsExactly(FakePeer.greeting(nonce));
        }
    }

    @Test
    void offersAreShortAndDoNotChange() {
        for (PendingLink pending : new PendingLink[] {connecting(), accepting()}) {
            byte[] first = pending.offer();
            assertThat(first).hasSizeBetween(32, 4096);
            first[0]++;
            assertThat(pending.offer()).isNotEqualTo(first).isEqualTo(pending.offer());
            OnLoop.run(left, () -> {});
        }
    }

    @Test
    void thePeerMayComeBeforeWeAreCompleted() {
        PendingLink one = connecting();
        PendingLink other = accepting();
        CompletableFuture<Link> first = one.complete(other.offer()).toFuture();
        // Whoever greets first waits for the greeting of the other, which needs its offer.
        OnLoop.run(left, () -> {});
        OnLoop.run(right, () -> {});
        assertThat(first).isNotDone();
        CompletableFuture<Link> second = other.complete(one.offer()).toFuture();
        assertThat(OnLoop.await(first).transport()).isEqualTo("shm");
        assertThat(OnLoop.await(second).transport()).isEqualTo("shm");
    }

    @Test
    void theSocketIsPrivateAndGoneAsSoonAsThePeerHasCome() throws IOException {
        PendingLink one = connecting();
        PendingLink other = accepting();
        Path socket = Path.of(ShmOffer.decode(other.offer(), true).socket());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        CompletableFuture<Link> first = one.complete(other.offer()).toFuture();
        CompletableFuture<Link> second = other.complete(one.offer()).toFuture();
        assertThat(OnLoop.await(first)).isNotNull();
        assertThat(OnLoop.await(second)).isNotNull();
        assertThat(socket).doesNotExist();
    }

    @Test
    void anAbsentSocketIsAClearError() {
        PendingLink one = connecting();
        ShmOffer absent = new ShmOffer(SMALL, Nonce.random(), folder + "/shm-" + "0".repeat(32) + ".sock");
        assertThat(failure(one.complete(absent.encode()).toFuture(), PeerUnavailable.class))
                .hasMessageContaining(absent.socket())
                .hasMessageContaining("another container");
    }

    @Test
    void badOffersAreRefused() {
        Random random = new Random(1);
        byte[] good = new ShmOffer(SMALL, Nonce.random(), "/x/shm-" + "a".repeat(32) + ".sock").encode();
        for (int i = 0; i < 5_000; i++) {
            byte[] bad = random.nextBoolean() ? new byte[random.nextInt(200)] : good.clone();
            for (int j = 0; j < 1 + random.nextInt(4) && bad.length > 0; j++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                ShmOffer decoded = ShmOffer.decode(bad, random.nextBoolean());
                assertThat(decoded.encode()).isEqualTo(bad);
            } catch (ProtocolMismatch e) {
                assertThat(e).hasMessageContaining("the peer's offer for shared memory");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "shm-0123456789abcdef0123456789abcdef.sock",
                "/var/run/docker.sock",
                "/x/shm-1.sock",
                "/x/shm-0123456789abcdef0123456789abcdef.sock\0",
                "/x/../shm-0123456789ABCDEF0123456789abcdef.sock"
            })
    void onlySocketsOfOursAreConnectedTo(String path) {
        byte[] offer = new ShmOffer(SMALL, Nonce.random(), path).encode();
        assertThat(failure(connecting().complete(offer).toFuture(), ProtocolMismatch.class))
                .hasMessageContaining("names the socket");
    }

    @Test
    void anotherVersionAndImpossibleSizesAreRefused() {
        byte[] offer = new ShmOffer(SMALL, Nonce.random(), "").encode();
        byte[] version = offer.clone();
        version[4]++;
        assertThat(failure(accepting().complete(version).toFuture(), ProtocolMismatch.class))
                .hasMessage("the peer's offer for shared memory is of version 3, ours of 2: have the same Weir on both"
                        + " sides to use it");
        byte[] size = offer.clone();
        size[11] = 0x7f;
        assertThat(failure(accepting().complete(size).toFuture(), ProtocolMismatch.class))
                .hasMessageContaining("ring-size");
    }

    @Test
    void closingGivesBackEverythingAtAnyTime() {
        connecting().close();
        PendingLink before = accepting();
        OnLoop.run(right, before::close);
        OnLoop.run(right, before::close);
        assertThat(failure(before.complete(new byte[0]).toFuture(), PeerUnavailable.class))
                .hasMessageContaining("given up");

        PendingLink waiting = accepting();
        CompletableFuture<Link> completion = waiting.complete(new ShmOffer(SMALL, Nonce.random(), "").encode())
                .toFuture();
        OnLoop.run(right, waiting::close);
        assertThat(failure(completion, PeerUnavailable.class)).hasMessageContaining("given up");
    }

    @Test
    void closingOneSideWhileItIsAgreedOnFailsTheOther() {
        for (int delay = 0; delay < 12; delay++) {
            PendingLink one = connecting();
            PendingLink other = accepting();
            CompletableFuture<Link> second = other.complete(one.offer()).toFuture();
            CompletableFuture<Link> first = one.complete(other.offer()).toFuture();
            for (int i = 0; i < delay; i++) {
                OnLoop.run(left, () -> {});
            }
            OnLoop.run(left, one::close);
            OnLoop.run(right, () -> {});
            // Whether it was completed before is a matter of chance; that each side ends is not.
            endsSomehow(left, first);
            endsSomehow(right, second);
        }
    }

    private static void endsSomehow(NettyLoop loop, CompletableFuture<Link> completion) {
        Link link;
        try {
            link = OnLoop.await(completion);
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(PeerUnavailable.class);
            return;
        }
        OnLoop.run(loop, link::close);
    }

    @Test
    void cancellingTheCompletionGivesBackEverything() {
        PendingLink waiting = accepting();
        var subscription = waiting.complete(new ShmOffer(SMALL, Nonce.random(), "").encode())
                .subscribe();
        OnLoop.run(right, () -> {});
        subscription.dispose();
        OnLoop.run(right, () -> {});
    }

    @Test
    void theEndOfTheLoopGivesBackEverything() {
        PendingLink waiting = accepting();
        CompletableFuture<Link> completion = waiting.complete(new ShmOffer(SMALL, Nonce.random(), "").encode())
                .toFuture();
        right.close().block(ShmPair.LONG);
        assertThat(failure(completion, PeerUnavailable.class)).hasMessageContaining("given up");
    }

    @Test
    void whoDoesNotHaveOurOfferIsSentAwayAndThePeerStillComes() {
        PendingLink one = connecting();
        PendingLink other = accepting();
        String socket = ShmOffer.decode(other.offer(), true).socket();
        FakePeer silent = new FakePeer(left, socket);
        FakePeer wrong = new FakePeer(left, socket);
        wrong.say(FakePeer.greeting(Nonce.random()));
        wrong.expectSentAway();
        FakePeer web = new FakePeer(left, socket);
        web.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        web.expectSentAway();
        CompletableFuture<Link> second = other.complete(one.offer()).toFuture();
        CompletableFuture<Link> first = one.complete(other.offer()).toFuture();
        assertThat(OnLoop.await(first)).isNotNull();
        assertThat(OnLoop.await(second)).isNotNull();
        silent.expectSentAway();
    }

    /** Host and user in a card are claims: until the system has vouched for the peer, only the socket is there. */
    @Test
    void thereIsNoMemoryBeforeThePeerHasCome() {
        PendingLink other = accepting();
        byte[] offer = new ShmOffer(SMALL, Nonce.random(), "").encode();
        CompletableFuture<Link> completion = other.complete(offer).toFuture();
        FakePeer wrong = new FakePeer(left, ShmOffer.decode(other.offer(), true).socket());
        wrong.say(FakePeer.greeting(Nonce.random()));
        wrong.expectSentAway();
        assertThat(Mapping.open()).isZero();
        OnLoop.run(right, other::close);
        assertThat(failure(completion, PeerUnavailable.class)).hasMessageContaining("given up");
    }

    @Test
    void theLinksOfANodeMakeNoMoreMemoryThanAllowed() {
        ShmTransport node = new ShmTransport();
        TransportSettings little =
                new TransportSettings(folder, true, Map.of("ring-size", "512k", "pool-size", "512k", "memory", "1m"));
        PendingLink first = OnLoop.get(left, () -> node.prepare(ShmPair.request(left, true, little)));
        PendingLink itsPeer = accepting();
        CompletableFuture<Link> opened = first.complete(itsPeer.offer()).toFuture();
        assertThat(OnLoop.await(itsPeer.complete(first.offer()).toFuture())).isNotNull();
        Link open = OnLoop.await(opened);

        PendingLink second = OnLoop.get(left, () -> node.prepare(ShmPair.request(left, true, little)));
        PendingLink other = accepting();
        CompletableFuture<Link> refused = second.complete(other.offer()).toFuture();
        CompletableFuture<Link> inVain = other.complete(second.offer()).toFuture();
        assertThat(failure(refused, PeerUnavailable.class))
                .hasMessageContaining("weir.transport.shm.memory is 1048576; raise it");
        assertThat(failure(inVain, PeerUnavailable.class)).hasMessageContaining("closed the socket");

        OnLoop.run(left, open::close);
        PendingLink third = OnLoop.get(left, () -> node.prepare(ShmPair.request(left, true, little)));
        PendingLink again = accepting();
        CompletableFuture<Link> reopened = third.complete(again.offer()).toFuture();
        assertThat(OnLoop.await(again.complete(third.offer()).toFuture())).isNotNull();
        assertThat(OnLoop.await(reopened)).isNotNull();
    }

    @Test
    void moreGuestsThanAFewAreSentAwayAtOnce() {
        PendingLink other = accepting();
        String socket = ShmOffer.decode(other.offer(), true).socket();
        for (int i = 0; i < 16; i++) {
            FakePeer guest = new FakePeer(left, socket);
            assertThat(guest).isNotNull();
        }
        new FakePeer(left, socket).expectSentAway();
        OnLoop.run(right, other::close);
    }

    @Test
    void aPeerThatLeavesIsAClearError() throws InterruptedException {
        Fake fake = new Fake();
        fake.peer.close();
        assertThat(failure(fake.completion, PeerUnavailable.class)).hasMessageContaining("closed the socket");
    }

    @Test
    void memoryThatIsNotSealedIsRefused() throws InterruptedException, NativeFailure {
        Fake fake = new Fake();
        fake.peer.pass(Posix.memoryFile("test", SMALL.length()));
        assertThat(failure(fake.completion, ProtocolMismatch.class)).hasMessageContaining("not sealed");
        fake.peer.expectSentAway();
    }

    @Test
    void memoryOfAnotherSizeThanOfferedIsRefused() throws InterruptedException {
        Fake fake = new Fake();
        fake.peer.pass(Segment.allocate(new SegmentLayout(SegmentLayout.MIN_RING, 1 << 20)));
        assertThat(failure(fake.completion, ProtocolMismatch.class)).hasMessageContaining("were agreed");
    }

    /** A link to a fake peer, and the memory through which that sends. */
    private final class Hostile {

        final Fake fake = new Fake();
        final Segment segment;
        final Link link;
        final Frames frames = new Frames();

        Hostile() throws InterruptedException {
            Descriptor file = Segment.allocate(SMALL);
            segment = Segment.begin(file, SMALL);
            fake.peer.pass(file);
            link = OnLoop.await(fake.completion);
            OnLoop.run(right, () -> link.handler(frames));
        }

        /** Says that it waits for room, and has our side send something, so that this rings. */
        void haveItRing() {
            SegmentLayout.LONGS.setRelease(segment.mapping().memory(), SegmentLayout.SENDER_WAITS, 1L);
            OnLoop.run(
                    right,
                    () -> assertThat(link.offer(new Frame().set(FrameKind.DATA, 0, 1, 0)))
                            .isTrue());
        }
    }

    @Test
    void aPeerThatDoesNotHearItsBellKeepsNoLoopFromItsOtherLinks() throws InterruptedException {
        PendingLink one = connecting();
        PendingLink other = accepting();
        CompletableFuture<Link> first = one.complete(other.offer()).toFuture();
        Link served = OnLoop.await(other.complete(one.offer()).toFuture());
        Link theirs = OnLoop.await(first);
        Frames arrived = new Frames();
        OnLoop.run(left, () -> theirs.handler(new Frames()));
        OnLoop.run(right, () -> served.handler(arrived));

        Hostile hostile = new Hostile();
        hostile.fake.peer.deafAndBlocking();
        for (int rings = 0; rings < 1_000; rings++) {
            hostile.haveItRing();
        }
        OnLoop.run(
                left,
                () -> assertThat(theirs.offer(new Frame().set(FrameKind.DATA, 0, 5, 0)))
                        .isTrue());
        assertThat(arrived.nextFrame().channel()).isEqualTo(5);

        hostile.fake.peer.close();
        assertThat(hostile.frames.nextLost(SessionLost.class)).hasMessageContaining("without a goodbye");
        hostile.segment.mapping().release();
    }

    @Test
    void bytesBehindTheMemoryOnlyRing() throws InterruptedException {
        Hostile hostile = new Hostile();
        hostile.fake.peer.say(new byte[1_000]);
        hostile.haveItRing();
        assertThat(hostile.fake.peer.hear()).isNotEmpty();
        hostile.fake.peer.close();
        assertThat(hostile.frames.nextLost(SessionLost.class)).hasMessageContaining("without a goodbye");
        hostile.segment.mapping().release();
    }

    /** Whoever closes what is passed here waits for an hour. */
    @Test
    void noLoopClosesWhatAProcessPasses() throws InterruptedException {
        try (Lingering greeting = new Lingering();
                Lingering behindGreeting = new Lingering();
                Lingering memory = new Lingering();
                Lingering bell = new Lingering()) {
            PendingLink other = accepting();
            String socket = ShmOffer.decode(other.offer(), true).socket();
            FakePeer first = new FakePeer(left, socket);
            OnLoop.run(right, () -> assertThat(passed(greeting, first, false)).isTrue());
            first.expectSentAway();
            FakePeer second = new FakePeer(left, socket);
            OnLoop.run(right, () -> {
                second.say(FakePeer.greeting(Nonce.random()));
                assertThat(passed(behindGreeting, second, true)).isTrue();
            });
            second.expectSentAway();
            OnLoop.run(right, other::close);

            Fake fake = new Fake();
            OnLoop.run(right, () -> assertThat(passed(memory, fake.peer, false)).isTrue());
            assertThat(failure(fake.completion, ProtocolMismatch.class)).hasMessageContaining("not sealed");
            fake.peer.expectSentAway();

            Hostile hostile = new Hostile();
            if (OnLoop.get(right, () -> passed(bell, hostile.fake.peer, false))) {
                // A system before Linux 6.16.
                assertThat(hostile.frames.nextLost(ProtocolMismatch.class)).hasMessageContaining("may only ring");
            }
            hostile.fake.peer.close();
            hostile.segment.mapping().release();
            OnLoop.run(right, () -> {});
        }
    }

    /** On the loop that is to receive it, so that nobody closes it there before we do: the last one waits. */
    private static boolean passed(Lingering lingering, FakePeer peer, boolean urgent) {
        boolean passed = lingering.passTo(peer.descriptor(), urgent);
        if (passed) {
            lingering.letGo();
        }
        return passed;
    }

    @Test
    void aPeerThatDiesIsToldFromOneThatCloses() throws InterruptedException {
        Fake fake = new Fake();
        Descriptor file = Segment.allocate(SMALL);
        Segment segment = Segment.begin(file, SMALL);
        fake.peer.pass(file);
        Link link = OnLoop.await(fake.completion);
        RingWriter writer = new RingWriter(segment);
        BlockPool pool = new BlockPool(segment);
        FrameWriter writing = new FrameWriter(writer, pool, new BlockAllocator(pool), 1_000);
        assertThat(writing.write(new Frame().set(FrameKind.DATA, 0, 1, 0).body(Unpooled.copyInt(7))))
                .isTrue();
        writer.publish();
        assertThat(writing.write(new Frame().set(FrameKind.DATA, 0, 2, 0))).isTrue();
        fake.peer.close();
        Frames frames = new Frames();
        OnLoop.run(right, () -> link.handler(frames));
        Frames.Got got = frames.nextFrame();
        assertThat(got.channel()).as("what was published comes before the end").isEqualTo(1);
        got.body().release();
        assertThat(frames.nextLost(SessionLost.class)).hasMessageContaining("without a goodbye");
        frames.expectNothing();
        segment.mapping().release();
    }

    @Test
    void aSecondCompletionIsAnErrorOfTheCaller() {
        PendingLink waiting = accepting();
        byte[] offer = new ShmOffer(SMALL, Nonce.random(), "").encode();
        CompletableFuture<Link> first = waiting.complete(offer).toFuture();
        OnLoop.run(right, () -> {});
        assertThatThrownBy(() -> OnLoop.await(waiting.complete(offer).toFuture()))
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(first).isNotDone();
        OnLoop.run(right, waiting::close);
    }

    @Test
    void aRunTimeFolderThatCanNotBeUsedIsNamedWithTheRemedy() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> ShmPair.prepare(right, false, new TransportSettings(open, true, Map.of())))
                .hasRootCauseInstanceOf(Misconfigured.class)
                .hasStackTraceContaining("chmod 700");
        Files.delete(open);
        Path far = folder.resolve("x".repeat(100));
        assertThatThrownBy(() -> ShmPair.prepare(right, false, new TransportSettings(far, true, Map.of())))
                .hasRootCauseInstanceOf(Misconfigured.class)
                .hasStackTraceContaining("weir.runtime-folder");
        Files.delete(far);
    }

    @Test
    void aLoopWithoutEpollIsRefused() {
        NettyLoop nio = NettyLoop.start("nio", Waiting.BALANCED, false);
        try {
            assertThatThrownBy(() -> ShmPair.prepare(nio, true, settings()))
                    .hasRootCauseInstanceOf(Misconfigured.class)
                    .hasStackTraceContaining("epoll");
        } finally {
            nio.close().block(ShmPair.LONG);
        }
    }
}
