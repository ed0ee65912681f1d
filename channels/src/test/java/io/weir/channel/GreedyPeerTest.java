package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LinkHandler;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Flags;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What one peer can make a node hold that says whatever it likes: frames by hand on one side, a real session on the
 * other.
 */
class GreedyPeerTest {

    private static final int MIB = 1 << 20;
    private static final long MEMORY = 32 * MIB;
    /** So much of it that nothing is left to be lent. */
    private static final long KEPT = 12 * MIB;

    private final NodeSpec spec = NodeSpec.builder()
            .memoryMax(MEMORY)
            .keepAliveInterval(Duration.ofMinutes(10))
            .keepAliveTimeout(Duration.ofMinutes(30))
            .build();
    private final SessionPair pair = new SessionPair(spec, 1 << 20);
    private final MemoryLink attacker = pair.links[0];
    /** What has come back, without the bodies. */
    private final List<Came> came = new ArrayList<>();

    private final Map<Integer, Long> items = new HashMap<>();
    private final Map<Integer, Long> credit = new HashMap<>();

    private record Came(FrameKind kind, int flags, int channel, int aux, int length) {}

    GreedyPeerTest() {
        attacker.handler(new LinkHandler() {
            @Override
            public void frame(Frame frame) {
                came.add(new Came(
                        frame.kind(),
                        frame.flags(),
                        frame.channel(),
                        frame.aux(),
                        frame.body().readableBytes()));
                if (frame.kind() == FrameKind.ACCEPT || frame.kind() == FrameKind.CREDIT) {
                    items.merge(frame.channel(), frame.first(), Long::sum);
                    credit.merge(frame.channel(), frame.second(), Long::sum);
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
        });
    }

    @AfterEach
    void nothingIsKept() {
        pair.end();
        assertThat(pair.memory.stats().used()).isZero();
        assertThat(pair.memory.stats().uses().values()).containsOnly(0L);
    }

    private void send(FrameKind kind, int flags, int channel, int aux, long first, long second, ByteBuf body) {
        assertThat(attacker.offer(
                        new Frame().set(kind, flags, channel, aux, body).words(first, second)))
                .as("the session lives: %s", pair.server.endedWith())
                .isTrue();
    }

    private void open(int channel, String port, int flags) {
        send(FrameKind.OPEN, flags, channel, 0, 0, 0, Unpooled.copiedBuffer(port, UTF_8));
    }

    /** All of it, in as many pieces as it needs. */
    private void message(int channel, int flags, int number, int length) {
        int piece = Math.min(length, 30_000);
        if (length == piece) {
            send(FrameKind.DATA, flags, channel, number, 0, 0, Unpooled.wrappedBuffer(new byte[length]));
            return;
        }
        send(FrameKind.FIRST, flags, channel, number, length, 0, Unpooled.wrappedBuffer(new byte[piece]));
        for (int left = length - piece; left > 0; left -= piece) {
            piece = Math.min(left, 30_000);
            send(FrameKind.NEXT, 0, channel, 0, 0, 0, Unpooled.wrappedBuffer(new byte[piece]));
        }
    }

    private long count(FrameKind kind) {
        return came.stream().filter(each -> each.kind == kind).count();
    }

    private boolean lives() {
        return pair.server.endedWith() == null;
    }

    private long held(MemoryUse use) {
        return pair.memory.stats().uses().get(use);
    }

    @Test
    void longMessagesOnThousandsOfChannelsGetNoMoreThanOnePeersShare() {
        pair.ports.serve("still", new ServeHandler(pair.ports, channel -> Mono.never()));
        for (int i = 0; i < 4000; i++) {
            open(2 * i + 1, "still", 0);
        }
        pair.loop.settle();
        assertThat(lives()).isTrue();
        long promised = credit.values().stream().mapToLong(each -> each).sum();
        assertThat(promised).isBetween(MEMORY / 10, MEMORY / 4);
        credit.forEach((channel, bytes) ->
                send(FrameKind.FIRST, 0, channel, 0, bytes, 0, Unpooled.wrappedBuffer(new byte[10])));
        pair.loop.settle();
        assertThat(lives()).isTrue();
        assertThat(count(FrameKind.ERROR) + credit.size()).isEqualTo(4000);
        assertThat(pair.memory.stats().used()).isLessThanOrEqualTo(MEMORY / 2 + MemoryAccount.GUARANTEED);
    }

    @Test
    void anotherPeerStillGetsChannelsMeanwhile() {
        longMessagesOnThousandsOfChannelsGetNoMoreThanOnePeersShare();
        MemoryAccount.Share other = pair.memory.share("client");
        long window = other.takeSome(MemoryUse.WINDOWS, 8 << 10, MIB);
        assertThat(window).isGreaterThan(100_000);
        other.give(MemoryUse.WINDOWS, window);
        other.close();
    }

    /** Has asked for no channel yet. */
    private static final class Accepting extends BaseSubscriber<Channel> {

        private final List<Channel> accepted = new ArrayList<>();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // It is busy with something else.
        }

        @Override
        protected void hookOnNext(Channel channel) {
            accepted.add(channel);
        }
    }

    private Accepting acceptLater() {
        return AcceptHandler.flux(pair.ports, "later").subscribeWith(new Accepting());
    }

    @Test
    void whatIsWantedBeforeAcceptIsGrantedOnce() {
        Accepting later = acceptLater();
        open(1, "later", 0);
        send(FrameKind.WANT, 0, 1, 0, 2 * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(came).isEmpty();
        later.request(1);
        pair.loop.settle();
        assertThat(later.accepted).hasSize(1);
        assertThat(count(FrameKind.ACCEPT)).isEqualTo(1);
        assertThat(credit)
                .containsEntry(1, later.accepted.get(0).inbound().window().granted());
        assertThat(lives()).isTrue();
    }

    @Test
    void aChannelThatHasFailedBeforeItWasAcceptedIsNotRefusedAsWell() {
        Accepting later = acceptLater();
        open(1, "later", 0);
        send(FrameKind.WANT, 0, 1, 0, 65L * MIB, 0, Unpooled.EMPTY_BUFFER);
        send(FrameKind.END, 0, 1, 0, 0, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        later.cancel();
        pair.loop.settle();
        assertThat(count(FrameKind.ERROR)).isEqualTo(1);
        assertThat(pair.server.channelCount()).isZero();
        assertThat(lives()).isTrue();
    }

    @Test
    void whoOpensAChannelHearsThatThePeerAsksForTooMuchInsteadOfAccepting() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        var opening = pair.server.peer().channel("far").subscribe(channel -> {}, failure::set);
        pair.loop.settle();
        int channel = came.stream()
                .filter(each -> each.kind == FrameKind.OPEN)
                .findFirst()
                .orElseThrow()
                .channel();
        send(FrameKind.WANT, 0, channel, 0, 65L * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(failure.get()).isInstanceOf(MessageTooLarge.class);
        opening.dispose();
        // It had accepted before it heard of that.
        send(FrameKind.ACCEPT, 0, channel, 0, 1, 1, Unpooled.EMPTY_BUFFER);
        send(FrameKind.END, 0, channel, 0, 0, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(count(FrameKind.ERROR)).isEqualTo(1);
        assertThat(pair.server.channelCount()).isZero();
        assertThat(lives()).isTrue();
    }

    private record Keeping(Channel channel, Message message) {

        void consume() {
            channel.consumed(message.size());
            message.release();
        }
    }

    private List<Keeping> serveAndKeep() {
        List<Keeping> kept = new ArrayList<>();
        pair.ports.serve("keeps", new ServeHandler(pair.ports, channel -> {
            channel.receiveKept(16).subscribe(message -> kept.add(new Keeping(channel, message)), error -> {});
            return Mono.never();
        }));
        return kept;
    }

    /** As sockets do whose program does not read. */
    @Test
    void whatSubscribersKeepIsNoMoreThanOnePeersShareUntilItIsConsumed() {
        List<Keeping> kept = serveAndKeep();
        for (int i = 0; i < 200; i++) {
            open(2 * i + 1, "keeps", 0);
        }
        pair.loop.settle();
        for (int before = -1; before < kept.size() && kept.size() < MEMORY / 30_000; ) {
            before = kept.size();
            useAllCredit();
        }
        long bytes = kept.stream().mapToLong(each -> each.message.size()).sum();
        assertThat(lives()).isTrue();
        assertThat(bytes).isBetween(MEMORY / 20, MEMORY / 4);
        credit.keySet().forEach(channel -> send(FrameKind.ERROR, 0, channel, 1, 0, 0, Unpooled.EMPTY_BUFFER));
        pair.loop.settle();
        assertThat(held(MemoryUse.WINDOWS)).isGreaterThanOrEqualTo(bytes);
        kept.forEach(Keeping::consume);
        pair.loop.settle();
        assertThat(held(MemoryUse.WINDOWS)).isZero();
        assertThat(pair.server.channelCount()).isZero();
    }

    private void useAllCredit() {
        for (int channel : List.copyOf(credit.keySet())) {
            while (items.get(channel) > 0 && credit.get(channel) > 0) {
                int length = (int) Math.min(credit.get(channel), 30_000);
                items.merge(channel, -1L, Long::sum);
                credit.merge(channel, (long) -length, Long::sum);
                message(channel, 0, 0, length);
            }
        }
        pair.loop.settle();
    }

    @Test
    void whatWasLentIsGivenBackWhenNothingIsKeptAnyMore() {
        List<Keeping> kept = serveAndKeep();
        open(1, "keeps", 0);
        pair.loop.settle();
        send(FrameKind.WANT, 0, 1, 0, 6 * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(pair.memory.lent()).isPositive();
        message(1, 0, 0, 1);
        send(FrameKind.FIRST, 0, 1, 0, credit.get(1) - 1, 0, Unpooled.wrappedBuffer(new byte[10]));
        pair.loop.settle();
        send(FrameKind.ERROR, 0, 1, 1, 0, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(lives()).isTrue();
        assertThat(pair.memory.lent()).isZero();
        kept.get(0).consume();
        pair.loop.settle();
        assertThat(pair.server.channelCount()).isZero();
    }

    /** It wants nothing more of the peer then, so nothing else would give it back. */
    @Test
    void behindTheEndWhatWasLentIsGivenBackWithTheLongMessage() {
        AtomicReference<Subscription> slow = new AtomicReference<>();
        List<Integer> sizes = new ArrayList<>();
        pair.ports.serve("slow", new ServeHandler(pair.ports, channel -> {
            channel.receive().subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    slow.set(subscription);
                }

                @Override
                protected void hookOnNext(Message message) {
                    sizes.add(message.size());
                    message.release();
                }
            });
            return Mono.never();
        }));
        open(1, "slow", 0);
        pair.loop.settle();
        send(FrameKind.WANT, 0, 1, 0, 6 * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        message(1, 0, 0, 6 * MIB - 10);
        message(1, 0, 0, 10);
        send(FrameKind.END, 0, 1, 0, 0, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(pair.memory.lent()).isPositive();
        slow.get().request(1);
        pair.loop.settle();
        assertThat(sizes).containsExactly(6 * MIB - 10);
        assertThat(pair.memory.lent()).isZero();
        slow.get().request(1);
        pair.loop.settle();
        assertThat(sizes).containsExactly(6 * MIB - 10, 10);
    }

    /** What was read is soon credit again, though the loop does not hear of each piece. */
    @Test
    void whatWasConsumedIsGrantedAgain() {
        List<Keeping> kept = serveAndKeep();
        open(1, "keeps", 0);
        pair.loop.settle();
        long read = 0;
        while (read < 64 * MIB) {
            useAllCredit();
            assertThat(kept).as("after %d bytes", read).isNotEmpty();
            for (Keeping each : kept) {
                read += each.message.size();
                each.consume();
            }
            kept.clear();
            pair.loop.settle();
        }
        // One that is longer than the window waits until all was read, and not for ever.
        message(1, 0, 0, 10);
        send(FrameKind.WANT, 0, 1, 0, 6 * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(credit.get(1)).isLessThan(6 * MIB);
        kept.forEach(Keeping::consume);
        pair.loop.settle();
        assertThat(credit.get(1) - 10).isGreaterThanOrEqualTo(6 * MIB);
    }

    @Test
    void aNumberThatLeapsIsABreach() {
        pair.ports.serve("still", new ServeHandler(pair.ports, channel -> Mono.never()));
        open(1, "still", 0);
        open(0x7ffffff1, "still", 0);
        pair.loop.settle();
        assertThat(lives()).isFalse();
        assertThat(pair.server.endedWith()).hasMessageContaining("2147483633");
    }

    @Test
    void numbersThatGoRoundComeToNoOpenChannel() {
        pair.ports.serve("still", new ServeHandler(pair.ports, channel -> Mono.never()));
        open(1, "still", 0);
        pair.loop.settle();
        int number = 1;
        do {
            number += 1 << 24;
            if (number != 1) {
                open(number, "nobody", 0);
                send(FrameKind.END, 0, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
            }
            pair.loop.settle();
        } while (number != 1);
        assertThat(lives()).isTrue();
        assertThat(pair.server.channelCount()).isOne();
        open(1, "still", 0);
        pair.loop.settle();
        assertThat(pair.server.endedWith()).hasMessageContaining("channel number 1");
    }

    @Test
    void numbersMayGoRound() {
        pair.ports.serve("still", new ServeHandler(pair.ports, channel -> Mono.never()));
        int number = 1;
        open(number, "nobody", 0);
        send(FrameKind.END, 0, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
        do {
            pair.loop.settle();
            number += 1 << 24;
            open(number, "nobody", 0);
            send(FrameKind.END, 0, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
        } while (number != 1);
        pair.loop.settle();
        assertThat(lives()).isTrue();
        assertThat(pair.server.channelCount()).isZero();
    }

    @Test
    void answersThatNobodyTakesStopTheRequests() {
        AtomicInteger asked = new AtomicInteger();
        pair.ports.serve("answers", new AnswerHandler(pair.ports, (peer, request) -> {
            asked.incrementAndGet();
            request.release();
            return Mono.just(Message.of(new byte[100_000]));
        }));
        open(1, "answers", Flags.REQUESTS);
        pair.loop.settle();
        int requests = items.get(1).intValue();
        assertThat(requests).isGreaterThan(500);
        for (int i = 1; i <= requests; i++) {
            message(1, Flags.REQUEST, i, 0);
        }
        pair.loop.settle();
        assertThat(lives()).isTrue();
        assertThat(asked.get()).isLessThan(100);
        assertThat(pair.server.counters().queuedBytes).isLessThan(6 * MIB);
        // Nothing was lost: each has its answer as soon as it is taken.
        for (int i = 0; i < requests; i++) {
            send(FrameKind.CREDIT, 0, 1, 0, 1, 100_000, Unpooled.EMPTY_BUFFER);
            pair.loop.settle();
        }
        assertThat(asked).hasValue(requests);
        assertThat(held(MemoryUse.ANSWERS)).isZero();
    }

    @Test
    void answersThatComeLateAndThatNobodyTakesAreReplacedByErrors() {
        List<Sinks.One<Message>> late = new ArrayList<>();
        pair.ports.serve("late", new AnswerHandler(pair.ports, (peer, request) -> {
            request.release();
            Sinks.One<Message> answer = Sinks.one();
            late.add(answer);
            return answer.asMono();
        }));
        open(1, "late", Flags.REQUESTS);
        pair.loop.settle();
        int requests = 400;
        for (int i = 1; i <= requests; i++) {
            message(1, Flags.REQUEST, i, 0);
        }
        pair.loop.settle();
        assertThat(late).hasSize(requests);
        late.forEach(
                answer -> answer.tryEmitValue(Message.of(new byte[100_000])).orThrow());
        pair.loop.settle();
        assertThat(lives()).isTrue();
        assertThat(pair.server.counters().queuedBytes).isLessThan(MEMORY / 2);
        send(FrameKind.CREDIT, 0, 1, 0, requests, 100_000L * requests, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        long failed = came.stream()
                .filter(each -> each.kind == FrameKind.DATA && (each.flags & Flags.FAILED) != 0)
                .count();
        long answered =
                came.stream().filter(each -> each.kind == FrameKind.FIRST).count();
        assertThat(failed).isPositive();
        assertThat(failed + answered).isEqualTo(requests);
        assertThat(held(MemoryUse.ANSWERS)).isZero();
    }

    @Test
    void requestsWithLongContentAreTakenAsFarAsThereIsMemory() {
        List<Message> kept = new ArrayList<>();
        pair.ports.serve("slow", new AnswerHandler(pair.ports, (peer, request) -> {
            kept.add(request);
            return Mono.never();
        }));
        open(1, "slow", Flags.REQUESTS);
        pair.loop.settle();
        assertThat(items.get(1)).isEqualTo(held(MemoryUse.REQUESTS) / MemoryAccount.ITEM);
        for (int i = 1; items.get(1) > 0 && credit.get(1) >= 30_000 && i < 5000; i++) {
            items.merge(1, -1L, Long::sum);
            credit.merge(1, -30_000L, Long::sum);
            message(1, Flags.REQUEST, i, 30_000);
            pair.loop.settle();
        }
        assertThat(lives()).isTrue();
        assertThat(kept.size() * 30_000L).isLessThan(8 * MIB);
        kept.forEach(Message::release);
    }

    @Test
    void aMailboxKeepsNoMoreOfOneSenderThanItsWindow() {
        Mailbox box = new Mailbox("box", 1024, pair.loop).open(pair.ports);
        open(1, "box", 0);
        pair.loop.settle();
        int sent = 0;
        while (credit.get(1) >= 100_000 && sent < 1000) {
            credit.merge(1, -100_000L, Long::sum);
            message(1, 0, 0, 100_000);
            sent++;
            pair.loop.settle();
        }
        assertThat(lives()).isTrue();
        assertThat(sent).isBetween(10, 100);
        assertThat(held(MemoryUse.MAILBOXES)).isBetween(1L * MIB, 9L * MIB);
        // What is taken out makes room, and nothing is lost.
        AtomicInteger got = new AtomicInteger();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        box.subscribe(
                received -> {
                    got.incrementAndGet();
                    received.release();
                },
                failed::set);
        pair.loop.settle();
        assertThat(got).hasValue(sent);
        assertThat(failed).as("who takes everything").hasValue(null);
        assertThat(credit.get(1)).isGreaterThanOrEqualTo(100_000);
        box.dispose();
        pair.loop.settle();
    }

    @Test
    void whatASenderLeavesInAMailboxCountsUntilItIsTakenOut() {
        Mailbox box = new Mailbox("box", 1024, pair.loop).open(pair.ports);
        open(1, "box", 0);
        pair.loop.settle();
        message(1, 0, 0, 1000);
        pair.loop.settle();
        pair.server.lost(new SessionLost("gone"));
        assertThat(held(MemoryUse.MAILBOXES)).isGreaterThanOrEqualTo(1000);
        box.next().subscribe(Received::release);
        assertThat(held(MemoryUse.MAILBOXES)).isZero();
        box.dispose();
    }

    /** There was memory when the sources were asked, and is none when they emit. */
    @Test
    void whatSourcesEmitLateIsRefusedWhereItWouldUseUpTheNodesMemory() {
        Queue<Sinks.One<Message>> sources = new ArrayDeque<>();
        pair.ports.serve("late", new ServeHandler(pair.ports, channel -> {
            Sinks.One<Message> source = Sinks.one();
            sources.add(source);
            return channel.send(source.asMono());
        }));
        int channels = 200;
        for (int number = 0; number < channels; number++) {
            send(FrameKind.OPEN, 0, 2 * number + 1, 0, 1, 1, Unpooled.copiedBuffer("late", UTF_8));
        }
        pair.loop.settle();
        assertThat(sources).hasSize(channels);
        for (Sinks.One<Message> source : sources) {
            pair.loop.execute(
                    () -> source.tryEmitValue(Message.of(new byte[300_000])).orThrow());
            pair.loop.settle();
            assertThat(pair.memory.stats().used()).isLessThan(MEMORY);
        }
        assertThat(pair.memory.stats().uses().get(MemoryUse.OUTGOING)).isGreaterThan(MEMORY / 2);
        assertThat(count(FrameKind.ERROR)).isBetween(channels / 4L, channels - 1L);
        assertThat(lives()).isTrue();
    }

    /** On channel 1, to one who takes whatever comes. */
    private void wantLongMessage() {
        pair.ports.serve(
                "sink",
                new ServeHandler(
                        pair.ports,
                        channel -> Flux.from(channel.receive())
                                .doOnNext(Message::release)
                                .then()));
        open(1, "sink", 0);
        pair.loop.settle();
        send(FrameKind.WANT, 0, 1, 0, 8 * MIB, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
    }

    /** Returns who has taken all of it, {@link #KEPT}. */
    private MemoryAccount.Share wantLongMessageForWhichThereIsNoMemory() {
        MemoryAccount.Share other = pair.memory.share("other");
        other.take(MemoryUse.MAILBOXES, KEPT);
        wantLongMessage();
        assertThat(pair.memory.lent()).isZero();
        return other;
    }

    @Test
    void whatIsLentAndNotUsedIsTakenBack() {
        wantLongMessage();
        assertThat(pair.memory.lent()).isPositive();
        assertThat(credit.get(1)).isGreaterThanOrEqualTo(8 * MIB);
        // As long as it says nothing at all, it may be stopped.
        pair.loop.advance(Duration.ofSeconds(25));
        assertThat(pair.memory.lent()).isPositive();
        for (int i = 0; i < 4; i++) {
            send(FrameKind.PING, 0, 0, 1, 0, 0, Unpooled.EMPTY_BUFFER);
            pair.loop.settle();
            pair.loop.advance(Duration.ofSeconds(9));
        }
        assertThat(pair.memory.lent()).isZero();
        assertThat(came)
                .anyMatch(each ->
                        each.kind == FrameKind.ERROR && each.channel == 1 && each.aux == ErrorCode.OVERLOADED.code());
        assertThat(lives()).isTrue();
    }

    @Test
    void aMessageDoesNotWaitForEverForWhatOthersKeep() {
        MemoryAccount.Share other = wantLongMessageForWhichThereIsNoMemory();
        assertThat(pair.memory.lent()).isZero();
        pair.loop.advance(Duration.ofSeconds(15));
        assertThat(count(FrameKind.ERROR)).isZero();
        pair.loop.advance(Duration.ofSeconds(10));
        assertThat(came)
                .anyMatch(each ->
                        each.kind == FrameKind.ERROR && each.channel == 1 && each.aux == ErrorCode.OVERLOADED.code());
        assertThat(lives()).isTrue();
        other.give(MemoryUse.MAILBOXES, KEPT);
        other.close();
    }

    /** A window that grows meanwhile, or a message that is dropped, may bring the next message to the head. */
    @Test
    void whatTheNextMessageNeedsIsGrantedAlsoIfItWasSaidWhileMemoryForAnotherOneWasAwaited() {
        MemoryAccount.Share other = wantLongMessageForWhichThereIsNoMemory();
        send(FrameKind.WANT, 0, 1, 0, 8 * MIB + 100_000, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(pair.memory.lent()).isZero();
        other.give(MemoryUse.MAILBOXES, KEPT);
        pair.loop.settle();
        assertThat(credit.get(1)).isGreaterThanOrEqualTo(8 * MIB + 100_000);
        message(1, 0, 0, 8 * MIB + 100_000);
        pair.loop.settle();
        assertThat(count(FrameKind.ERROR)).isZero();
        assertThat(pair.memory.lent()).isZero();
        assertThat(lives()).isTrue();
        other.close();
    }

    @Test
    void memoryThatWasAwaitedAndIsNotNeededAnyMoreIsGivenBack() {
        MemoryAccount.Share other = wantLongMessageForWhichThereIsNoMemory();
        send(FrameKind.WANT, 0, 1, 0, 1000, 0, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        pair.loop.advance(Duration.ofSeconds(25));
        assertThat(count(FrameKind.ERROR)).isZero();
        other.give(MemoryUse.MAILBOXES, KEPT);
        pair.loop.settle();
        assertThat(pair.memory.lent()).isZero();
        message(1, 0, 0, 1000);
        assertThat(lives()).isTrue();
        other.close();
    }

    @Test
    void whatIsLentAndUsedStaysAsLongAsItIsUsed() {
        wantLongMessage();
        send(FrameKind.FIRST, 0, 1, 0, 8 * MIB, 0, Unpooled.wrappedBuffer(new byte[30_000]));
        for (int left = 8 * MIB - 30_000; left > 0; ) {
            for (int i = 0; i < 20 && left > 0; i++) {
                int piece = Math.min(left, 30_000);
                send(FrameKind.NEXT, 0, 1, 0, 0, 0, Unpooled.wrappedBuffer(new byte[piece]));
                left -= piece;
            }
            pair.loop.settle();
            assertThat(lives()).isTrue();
            pair.loop.advance(Duration.ofSeconds(9));
        }
        assertThat(count(FrameKind.ERROR)).isZero();
        assertThat(pair.memory.lent()).isZero();
    }

    /**
     * What was lent for a message comes back when the message is delivered: the values must not pile up before a codec
     * that takes long.
     */
    @Test
    void longValuesThatWaitForTheirCodecLeaveNoMoreToBeLent() throws InterruptedException {
        CountDownLatch patience = new CountDownLatch(1);
        AtomicInteger read = new AtomicInteger();
        Codec<Integer> slow = new Codec<>() {
            @Override
            public Integer decode(ByteBuf payload) {
                awaitQuietly(patience);
                return payload.readableBytes();
            }

            @Override
            public ByteBuf encode(Integer value, ByteBufAllocator allocator) {
                throw new UnsupportedOperationException("it only reads");
            }
        };
        pair.ports.serve(
                "values",
                new ServeHandler(
                        pair.ports,
                        channel -> channel.receive(slow)
                                .doOnNext(length -> read.incrementAndGet())
                                .then()));
        int channels = 60;
        for (int i = 0; i < channels; i++) {
            open(2 * i + 1, "values", 0);
        }
        pair.loop.settle();
        for (int i = 0; i < channels; i++) {
            send(FrameKind.WANT, 0, 2 * i + 1, 0, MIB, 0, Unpooled.EMPTY_BUFFER);
        }
        int sent = 0;
        for (int i = 0; i < channels; i++) {
            sent += sendAsCredited();
        }
        assertThat(sent).isBetween(2, channels - 1);
        assertThat(pair.memory.stats().used()).isLessThan(MEMORY);
        patience.countDown();
        for (long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                read.get() < channels && System.nanoTime() < deadline;
                TimeUnit.MILLISECONDS.sleep(1)) {
            sent += sendAsCredited();
        }
        assertThat(read).hasValue(channels);
        assertThat(sent).isEqualTo(channels);
    }

    /** A message of a MiB on each channel that has credit for one. */
    private int sendAsCredited() {
        pair.loop.settle();
        List<Integer> able = credit.entrySet().stream()
                .filter(each -> each.getValue() >= MIB)
                .map(Map.Entry::getKey)
                .toList();
        for (int channel : able) {
            credit.put(channel, Long.MIN_VALUE / 2);
            message(channel, 0, 0, MIB);
            pair.loop.settle();
        }
        return able.size();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int opening(String port, AtomicReference<Throwable> failure) {
        var unused = pair.server.peer().channel(port).subscribe(channel -> {}, failure::set);
        pair.loop.settle();
        return came.stream()
                .filter(each -> each.kind == FrameKind.OPEN)
                .reduce((first, latest) -> latest)
                .orElseThrow()
                .channel;
    }

    /** The session ends by it, and whoever waits for the channel has to hear that as well. */
    @Test
    void acceptingWithCreditThatCantBeFailsWhoHasOpenedTheChannel() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int channel = opening("there", failure);
        send(FrameKind.ACCEPT, 0, channel, 0, -1, MIB, Unpooled.EMPTY_BUFFER);
        pair.loop.settle();
        assertThat(lives()).isFalse();
        assertThat(failure.get()).isInstanceOf(WeirException.class);
    }

    @Test
    void endingAChannelInsteadOfAcceptingItFailsWhoHasOpenedIt() {
        for (List<FrameKind> end :
                List.of(List.of(FrameKind.CANCEL, FrameKind.END), List.of(FrameKind.END, FrameKind.CANCEL))) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            int channel = opening("there", failure);
            for (FrameKind each : end) {
                send(each, 0, channel, 0, 0, 0, Unpooled.EMPTY_BUFFER);
                pair.loop.settle();
            }
            assertThat(failure.get()).isInstanceOf(Refused.class).hasMessageContaining("before it has accepted it");
            assertThat(pair.server.channelCount()).isZero();
        }
        assertThat(lives()).isTrue();
    }
}
