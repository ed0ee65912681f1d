package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ControlData;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LinkHandler;
import io.weir.core.PeerId;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.LastingLink;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/**
 * One mailbox and several peers, of which some send whatever they may: frames by hand on their side, real sessions on
 * the other.
 */
class MailboxTest {

    private static final int ITEMS = 400;
    private static final int LEAST = 64;

    private final NodeSpec spec = NodeSpec.builder()
            .memoryMax(64 << 20)
            .keepAliveInterval(Duration.ofMinutes(10))
            .keepAliveTimeout(Duration.ofMinutes(30))
            .build();
    private final ManualLoop loop = new ManualLoop();
    private final Ports ports = new Ports(spec);
    private final MemoryAccount memory = new MemoryAccount(
            DirectMemory.bound(spec.memory().max()), spec.memory().nodeBytes());
    private final List<Sender> senders = new ArrayList<>();
    private final Mailbox box = new Mailbox("box", ITEMS, loop).open(ports);

    @AfterEach
    void nothingIsKept() {
        box.dispose();
        loop.settle();
        assertThat(box.size()).isZero();
        senders.forEach(Sender::leave);
        assertThat(memory.stats().used()).isZero();
    }

    private Sender sender(String place, String name) {
        return sender(place, new PeerId(UUID.randomUUID(), name, 1));
    }

    private Sender sender(String place, PeerId id) {
        Sender sender = new Sender(place, id);
        senders.add(sender);
        return sender;
    }

    /** A peer, which follows its credit in messages. */
    private final class Sender implements LinkHandler {

        final MemoryLink link;
        final Session session;
        final Map<Integer, Long> items = new HashMap<>();
        final Map<Integer, Long> bytes = new HashMap<>();
        int next;

        Sender(String place, PeerId id) {
            MemoryLink[] ends = MemoryLink.pair(loop, 1 << 20);
            link = ends[0];
            link.handler(this);
            Peer peer = new ConnectedPeer(id, new PathDecision(id, List.of(), Instant.EPOCH, "", ""), ports);
            MemoryAccount.Share share = memory.share(place);
            LastingLink link = new LastingLink(loop, ends[1], peer.id(), peer.identity(), spec.timeouts(), share);
            session = new Session(spec, ports, share, loop, link, peer, false, ended -> {});
            peer.session(session);
            session.begin();
        }

        private void send(FrameKind kind, int channel, ControlData control, ByteBuf body) {
            assertThat(link.offer(new Frame().set(kind, 0, channel, 0, body).control(control.encoded())))
                    .as("the session lives: %s", session.endedWith())
                    .isTrue();
        }

        int open() {
            int channel = 2 * ++next - 1;
            send(FrameKind.OPEN, channel, ControlData.empty(), Unpooled.copiedBuffer("box", UTF_8));
            loop.settle();
            return channel;
        }

        boolean may(int channel, int length) {
            return items.getOrDefault(channel, 0L) > 0 && bytes.getOrDefault(channel, 0L) >= length;
        }

        void put(int channel, ControlData control, String text) {
            assertThat(may(channel, text.length() + control.encoded().length)).isTrue();
            items.merge(channel, -1L, Long::sum);
            bytes.merge(channel, -(long) (text.length() + control.encoded().length), Long::sum);
            send(FrameKind.DATA, channel, control, Unpooled.copiedBuffer(text, UTF_8));
        }

        void put(int channel, String text) {
            put(channel, ControlData.empty(), text);
            loop.settle();
        }

        /** As much as it may. */
        void fill(int channel) {
            for (int sent = 0; may(channel, 10); sent++) {
                put(channel, "n" + sent);
            }
        }

        void leave() {
            session.lost(new SessionLost("the peer has left"));
            loop.settle();
        }

        @Override
        public void frame(Frame frame) {
            if (frame.kind() == FrameKind.ACCEPT || frame.kind() == FrameKind.CREDIT) {
                items.merge(frame.channel(), frame.first(), Long::sum);
                bytes.merge(frame.channel(), frame.second(), Long::sum);
            }
            frame.body().release();
        }

        @Override
        public void writable() {
            // There is room for everything.
        }

        @Override
        public void lost(WeirException reason) {
            // Then nothing comes any more.
        }
    }

    /** What somebody takes, by sender and text. */
    private static final class Reader extends BaseSubscriber<Received> {

        private final long demand;
        final List<String> got = new ArrayList<>();
        Throwable failed;

        Reader(long demand) {
            this.demand = demand;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(demand);
        }

        @Override
        protected void hookOnNext(Received received) {
            got.add(received.from().id().name() + ' ' + received.message().text());
            received.release();
        }

        @Override
        protected void hookOnError(Throwable error) {
            failed = error;
        }
    }

    private Reader readsFrom(String name) {
        Reader reader = new Reader(Long.MAX_VALUE);
        box.matching(received -> received.from().id().name().equals(name)).subscribe(reader);
        return reader;
    }

    @Test
    void aPeerWithManyChannelsLeavesPlacesForOthers() {
        Reader wanted = readsFrom("benign");
        Sender greedy = sender("there", "greedy");
        for (int i = 0; i < 100; i++) {
            greedy.fill(greedy.open());
        }
        assertThat(box.size()).isLessThanOrEqualTo(ITEMS * 3 / 8 + 1);
        assertThat(wanted.failed).isNull();
        // One of the same place as well as one of another.
        for (String place : List.of("there", "elsewhere")) {
            Sender benign = sender(place, "benign");
            int channel = benign.open();
            for (int i = 0; i < 1000; i++) {
                benign.put(channel, "hello " + i);
            }
        }
        assertThat(wanted.got).hasSize(2000);
        assertThat(wanted.failed).isNull();
        // Neither has to wait until somebody reads what it has sent.
        Sender unread = sender("there", "unread");
        int channel = unread.open();
        int before = box.size();
        unread.fill(channel);
        assertThat(box.size() - before).isBetween(LEAST, ITEMS / 2);
    }

    @Test
    void aPeerThatComesAgainAndAgainDoesNotFillIt() {
        Sender early = sender("there", "benign");
        int channel = early.open();
        Reader wanted = readsFrom("benign");
        for (int i = 0; i < 100; i++) {
            Sender greedy = sender("there", "greedy");
            for (int j = 0; j < 3; j++) {
                greedy.fill(greedy.open());
            }
            greedy.leave();
        }
        assertThat(box.size()).isLessThanOrEqualTo(ITEMS * 3 / 4 + LEAST);
        assertThat(memory.stats().uses().get(MemoryUse.MAILBOXES))
                .isLessThan(memory.stats().total() / 4);
        Sender late = sender("elsewhere", "benign");
        int itsChannel = late.open();
        for (int i = 0; i < 1000; i++) {
            early.put(channel, "early " + i);
            late.put(itsChannel, "late " + i);
        }
        assertThat(wanted.got).hasSize(2000);
        assertThat(wanted.failed).isNull();
        // Nothing that was there is lost, and what was read makes room for those that had to wait.
        Sender waits = sender("there", "waits");
        waits.put(waits.open(), "now");
        Reader all = new Reader(Long.MAX_VALUE);
        int left = box.size();
        box.subscribe(all);
        loop.settle();
        assertThat(all.got).hasSize(left + 1).contains("waits now");
    }

    /** Else what a peer has sent, and has ended in good order, would be kept until the node ends. */
    @Test
    void whatFindsNoPlaceBehindTheEndOfItsChannelIsReleasedWithTheSession() {
        Sender greedy = sender("there", "greedy");
        int channel = greedy.open();
        greedy.fill(channel);
        greedy.send(FrameKind.END, channel, ControlData.empty(), Unpooled.EMPTY_BUFFER);
        loop.settle();
        assertThat(greedy.session.channels().copy().get(0).inbound().queued()).isPositive();
        greedy.leave();
        assertThat(greedy.session.undelivered()).isFalse();
    }

    /** It sends nothing more then, as if it had gone. */
    @Test
    void aPeerThatTakesNoAnswersLeavesWhatItHasSent() {
        for (int i = 0; i < 20; i++) {
            Sender greedy = sender("there", "greedy");
            int channel = greedy.open();
            greedy.fill(channel);
            greedy.send(FrameKind.CANCEL, channel, ControlData.empty(), Unpooled.EMPTY_BUFFER);
            loop.settle();
        }
        assertThat(box.size()).isLessThanOrEqualTo(ITEMS * 3 / 4 + LEAST);
    }

    @Test
    void longMessagesOfThoseThatHaveGoneLeaveMemoryForOthers() {
        for (int i = 0; i < 200; i++) {
            Sender greedy = sender("there", "greedy");
            int channel = greedy.open();
            while (greedy.may(channel, 30_000)) {
                greedy.put(channel, "x".repeat(30_000));
            }
            greedy.leave();
        }
        assertThat(memory.stats().uses().get(MemoryUse.MAILBOXES))
                .isLessThan(memory.stats().total() / 4);
        assertThat(memory.hasRoomFor("there", 1)).isTrue();
    }

    @Test
    void severalPeersHaveTheirMessagesReadInTurn() {
        Sender greedy = sender("there", "greedy");
        for (int i = 0; i < 5; i++) {
            greedy.fill(greedy.open());
        }
        Sender benign = sender("there", "benign");
        int channel = benign.open();
        for (int i = 0; i < 3; i++) {
            benign.put(channel, "hello " + i);
        }
        Reader some = new Reader(8);
        box.subscribe(some);
        loop.settle();
        assertThat(some.got)
                .containsSubsequence("benign hello 0", "benign hello 1", "benign hello 2")
                .containsSubsequence("greedy n0", "greedy n1", "greedy n2");
    }

    @Test
    void aPeerThatHasComeAnewIsReadInItsOrder() {
        PeerId id = new PeerId(UUID.randomUUID(), "benign", 1);
        Sender before = sender("there", id);
        int channel = before.open();
        for (int i = 0; i < 3; i++) {
            before.put(channel, "before " + i);
        }
        before.leave();
        Sender now = sender("there", id);
        now.put(now.open(), "now");
        Reader all = new Reader(Long.MAX_VALUE);
        box.subscribe(all);
        loop.settle();
        assertThat(all.got).containsExactly("benign before 0", "benign before 1", "benign before 2", "benign now");
    }

    /** What a subscriber has to look at is bounded in a turn of the loop, and it looks at nothing twice. */
    @Test
    void messagesThatNobodyTakesCostNoMoreThanALookOfEachSubscriber() {
        int subscribers = 500;
        int[] looks = new int[1];
        Map<Received, Integer> looked = new HashMap<>();
        for (int i = 0; i < subscribers; i++) {
            box.matching(received -> {
                        looks[0]++;
                        looked.merge(received, 1, Integer::sum);
                        return false;
                    })
                    .subscribe(new Reader(1));
        }
        Reader wanted = readsFrom("benign");
        Sender greedy = sender("there", "greedy");
        Sender benign = sender("there", "benign");
        int channel = greedy.open();
        int its = benign.open();
        for (int i = 0; i < 200; i++) {
            greedy.put(channel, ControlData.of("key", "value"), "n" + i);
        }
        benign.put(its, ControlData.empty(), "hello");
        int most = 0;
        for (int before = 0; loop.turn(); before = looks[0]) {
            most = Math.max(most, looks[0] - before);
        }
        assertThat(most).isLessThan(20_000);
        assertThat(wanted.got).containsExactly("benign hello");
        assertThat(looked.values()).allMatch(times -> times <= subscribers);
        // A new subscriber looks at all that is there, in turns as well.
        for (int i = 0; i < 100; i++) {
            benign.put(its, "more");
        }
        assertThat(wanted.got).hasSize(101);
        assertThat(wanted.failed).isNull();
    }
}
