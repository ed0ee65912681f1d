package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LinkHandler;
import io.weir.core.Message;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryStats;
import io.weir.memory.MemoryUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What waits for a peer that gives credit without a bound and reads little or nothing: frames by hand on one side, a
 * real session on the other.
 */
class BacklogTest {

    private static final int ROOM = 16;
    private static final long MUCH = 1L << 40;

    private final Map<Integer, Integer> messages = new HashMap<>();
    private final Map<Integer, Integer> ends = new HashMap<>();
    private SessionPair pair = pair(ROOM, 32 << 20);

    private SessionPair pair(int room, long memory) {
        NodeSpec spec = NodeSpec.builder()
                .memoryMax(memory)
                .keepAliveInterval(Duration.ofMinutes(10))
                .keepAliveTimeout(Duration.ofMinutes(30))
                .build();
        SessionPair made = new SessionPair(spec, room);
        made.links[0].handler(new LinkHandler() {
            @Override
            public void frame(Frame frame) {
                if (frame.kind() == FrameKind.DATA) {
                    messages.merge(frame.channel(), 1, Integer::sum);
                } else if (frame.kind() == FrameKind.END) {
                    ends.merge(frame.channel(), 1, Integer::sum);
                }
                frame.body().release();
            }

            @Override
            public void writable() {
                // What does not fit makes a test fail.
            }

            @Override
            public void lost(WeirException reason) {
                // Then nothing comes any more.
            }
        });
        return made;
    }

    @AfterEach
    void nothingIsKept() {
        pair.end();
        assertThat(pair.memory.stats().used()).isZero();
    }

    private void readsNothing() {
        pair.loop.remove(pair.links[0]);
    }

    private void reads() {
        pair.loop.add(pair.links[0]);
    }

    private void send(FrameKind kind, int channel, int aux, long items, long bytes, ByteBuf body) {
        assertThat(pair.links[0].offer(
                        new Frame().set(kind, 0, channel, aux, body).words(items, bytes)))
                .isTrue();
    }

    private void open(int channel, String port, long items, long bytes) {
        send(FrameKind.OPEN, channel, 0, items, bytes, Unpooled.copiedBuffer(port, UTF_8));
        pair.loop.settle();
    }

    private long held() {
        Counters counters = pair.server.counters();
        return counters.queuedBytes + counters.queuedMessages * Backlog.MESSAGE;
    }

    private void serve(String port, int count, int length) {
        pair.ports.serve(
                port,
                new ServeHandler(
                        pair.ports,
                        channel -> channel.send(Flux.range(0, count).map(i -> Message.of(new byte[length])))));
    }

    @Test
    void whatWaitsIsInTheAccountHoweverManyChannelsThereAre() {
        serve("ticks", 20_000, 7);
        readsNothing();
        for (int i = 0; i < 100; i++) {
            open(2 * i + 1, "ticks", MUCH, MUCH);
        }
        assertThat(held()).isLessThanOrEqualTo(pair.memory.stats().uses().get(MemoryUse.OUTGOING) + MemoryAccount.PEER);
        assertThat(pair.server.counters().queuedMessages).isGreaterThan(1_000);
    }

    @Test
    void everythingComesWhenThePeerReadsAtLast() {
        serve("ticks", 20_000, 7);
        readsNothing();
        for (int i = 0; i < 100; i++) {
            open(2 * i + 1, "ticks", MUCH, MUCH);
        }
        reads();
        pair.loop.settle();
        assertThat(messages).hasSize(100);
        assertThat(messages.values()).containsOnly(20_000);
        assertThat(ends.values()).containsOnly(1).hasSize(100);
    }

    @Test
    void channelsThatWaitForCreditDoNotStopOthers() {
        pair.end();
        pair = pair(ROOM, 1L << 30);
        serve("large", 1_000, 20_000);
        serve("ticks", 20_000, 7);
        // Each has something that waits for credit, far more together than a window.
        for (int i = 0; i < 400; i++) {
            open(2 * i + 1, "large", MUCH, 1);
        }
        assertThat(pair.server.counters().queuedMessages).isEqualTo(400);
        open(1001, "ticks", MUCH, MUCH);
        assertThat(messages.get(1001)).isEqualTo(20_000);
    }

    /** It is longer than all that the peer may have of the account. */
    @Test
    void aLongMessageThatWaitsForCreditDoesNotStopOthers() {
        serve("huge", 1, 15 << 20);
        serve("ticks", 20_000, 7);
        open(1, "huge", MUCH, 1);
        assertThat(pair.server.counters().queuedBytes).isEqualTo(15 << 20);
        open(3, "ticks", MUCH, MUCH);
        assertThat(messages.get(3)).isEqualTo(20_000);
    }

    @Test
    void longMessagesThatWaitForCreditAreInTheAccount() {
        serve("large", 1, 1 << 20);
        for (int i = 0; i < 1_000; i++) {
            open(2 * i + 1, "large", MUCH, 1);
        }
        long waiting = pair.server.counters().queuedBytes;
        assertThat(waiting).isBetween(2L << 20, 16L << 20);
        // One is free.
        assertThat(pair.memory.stats().uses().get(MemoryUse.OUTGOING)).isGreaterThanOrEqualTo(waiting - (1 << 20));
    }

    @Test
    void longMessagesAreAskedForAgainWhenThePeerTakesSome() {
        serve("large", 1, 1 << 20);
        for (int i = 0; i < 50; i++) {
            open(2 * i + 1, "large", MUCH, 1);
        }
        assertThat(pair.server.counters().queuedMessages).isLessThan(50);
        for (int i = 0; i < 50; i++) {
            send(FrameKind.CREDIT, 2 * i + 1, 0, 0, 1 << 20, Unpooled.EMPTY_BUFFER);
            pair.loop.settle();
        }
        pair.loop.advance(Duration.ofSeconds(1));
        assertThat(ends).hasSize(50);
    }

    @Test
    void itGoesOnWhereTheAccountHasNothing() {
        MemoryAccount.Share others = pair.memory.share("client");
        long taken = 0;
        for (long more; (more = others.takeSome(MemoryUse.WINDOWS, 0, 1 << 20)) > 0; ) {
            taken += more;
        }
        everythingComesWhenThePeerReadsAtLast();
        others.give(MemoryUse.WINDOWS, taken, taken);
        others.close();
    }

    @Test
    void whatOtherPeersGiveBackIsNoticed() {
        Map<MemoryAccount.Share, Long> others = new HashMap<>();
        for (int peer = 0; peer < 20; peer++) {
            MemoryAccount.Share other = pair.memory.share("client");
            while (other.tryTake(MemoryUse.WINDOWS, 16 << 10)) {
                others.merge(other, 16L << 10, Long::sum);
            }
        }
        serve("large", 1_000, 20_000);
        serve("ticks", 20_000, 7);
        for (int i = 0; i < 48; i++) {
            open(2 * i + 1, "large", MUCH, 1);
        }
        open(1001, "ticks", MUCH, MUCH);
        assertThat(messages.get(1001)).isNull();
        others.forEach((other, bytes) -> {
            other.give(MemoryUse.WINDOWS, bytes);
            other.close();
        });
        pair.loop.advance(Duration.ofMillis(100));
        assertThat(messages.get(1001)).isEqualTo(20_000);
    }

    @Test
    void channelsThatEndWhileTheLinkIsFullAreForgotten() {
        pair.end();
        pair = pair(1, 32 << 20);
        AtomicInteger served = new AtomicInteger();
        pair.ports.serve("one", new ServeHandler(pair.ports, channel -> {
            served.incrementAndGet();
            return channel.send(Flux.concat(Mono.just(Message.of("one")), Mono.never()));
        }));
        readsNothing();
        pair.loop.remove(pair.links[1]);
        for (int i = 0; i < 2_000; i++) {
            int number = 2 * i + 1;
            // Control frames of a channel always wait, so that their messages never have their turn.
            deliver(FrameKind.OPEN, number, 0, Unpooled.copiedBuffer("one", UTF_8));
            if (i > 1) {
                // The message of the first one, which stays, is before those of all others.
                deliver(FrameKind.ERROR, number - 2, ErrorCode.FAILED.code(), Unpooled.EMPTY_BUFFER);
                takesOne();
                takesOne();
            }
        }
        assertThat(served).hasValue(2_000);
        assertThat(pair.server.channelCount()).isLessThan(10);
        assertThat(pair.server.outbox().lanes().size()).isLessThan(200);
    }

    private void deliver(FrameKind kind, int channel, int aux, ByteBuf body) {
        send(kind, channel, aux, MUCH, MUCH, body);
        assertThat(pair.links[1].takeOne()).isTrue();
        pair.loop.settle();
    }

    private void takesOne() {
        if (pair.links[0].takeOne()) {
            var unused = pair.links[1].poll();
            pair.loop.settle();
        }
    }

    /** One for each peer, whatever the account says, is too much where they are many and read nothing. */
    @Test
    void longMessagesForManyPeersOfOneIdentityAreInTheAccount() {
        long length = 1 << 20;
        List<MemoryAccount.Share> shares = new ArrayList<>();
        List<Backlog> peers = new ArrayList<>();
        List<Backlog> admitted = new ArrayList<>();
        while (pair.memory.hasRoomFor("crowd", 1)) {
            MemoryAccount.Share share = pair.memory.share("crowd");
            shares.add(share);
            peers.add(new Backlog(pair.loop, share, () -> 0, () -> {}));
        }
        for (Backlog each : peers) {
            if (each.admits(length)) {
                each.add(length + Backlog.MESSAGE);
                admitted.add(each);
            }
        }
        MemoryStats stats = pair.memory.stats();
        assertThat(peers).hasSizeGreaterThan(10);
        assertThat(admitted).isNotEmpty().hasSizeLessThan(peers.size());
        assertThat(stats.used()).isLessThanOrEqualTo(stats.total());
        // All but one are in it.
        long taken = stats.uses().getOrDefault(MemoryUse.OUTGOING, 0L);
        assertThat(taken + MemoryAccount.PEER * (long) admitted.size())
                .isGreaterThanOrEqualTo(length * (admitted.size() - 1));
        Backlog refused = peers.stream()
                .filter(each -> !admitted.contains(each))
                .findFirst()
                .orElseThrow();
        assertThat(refused.admits(length)).isFalse();
        assertThat(refused.admits(100)).as("short ones go on").isTrue();
        for (Backlog each : admitted) {
            each.add(-length - Backlog.MESSAGE);
        }
        assertThat(refused.admits(length)).isTrue();
        assertThat(admitted.get(0).admits(length))
                .as("one that was asked and has emitted nothing stops nobody")
                .isTrue();
        peers.forEach(Backlog::end);
        shares.forEach(MemoryAccount.Share::close);
    }
}
