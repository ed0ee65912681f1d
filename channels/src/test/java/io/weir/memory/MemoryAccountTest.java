package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.ManualLoop;
import io.weir.memory.MemoryAccount.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryAccountTest {

    private static final long MIB = 1 << 20;
    private static final long TOTAL = 64 * MIB;

    private final MemoryAccount account = new MemoryAccount(TOTAL, 32 * MIB);
    private final ManualLoop loop = new ManualLoop();

    private static long takeAll(Share share, MemoryUse use) {
        long all = 0;
        for (long piece = TOTAL; piece > 0; ) {
            if (share.tryTake(use, piece)) {
                all += piece;
            } else {
                piece /= 2;
            }
        }
        return all;
    }

    @Test
    void whatPeersOfOneIdentityTakeLeavesRoomForOthersOfIt() {
        List<Long> taken = new ArrayList<>();
        for (int i = 0; account.hasRoomFor("crowd", 1); i++) {
            assertThat(i).isLessThan(1000);
            taken.add(takeAll(account.share("crowd"), MemoryUse.WINDOWS));
        }
        assertThat(taken.get(0)).isLessThanOrEqualTo(TOTAL / 2);
        assertThat(taken).hasSizeGreaterThan(30).allMatch(each -> each >= MemoryAccount.GUARANTEED);
        assertThat(account.stats().used()).isLessThanOrEqualTo(TOTAL * 3 / 4);
    }

    @Test
    void whatOneIdentityTakesLeavesRoomForAnother() {
        while (account.hasRoomFor("crowd", 1)) {
            assertThat(takeAll(account.share("crowd"), MemoryUse.WINDOWS)).isPositive();
        }
        assertThat(account.hasRoomFor("other", 1)).isTrue();
        assertThat(takeAll(account.share("other"), MemoryUse.WINDOWS)).isGreaterThan(2 * MIB);
    }

    @Test
    void manyChannelsOfOnePeerGetLessAndLessButEachGetsTheLeast() {
        Share share = account.share("peer");
        long least = 8 << 10;
        List<Long> given = new ArrayList<>();
        for (long each; (each = share.takeSome(MemoryUse.WINDOWS, least, 4 * MIB)) != 0; ) {
            given.add(each);
        }
        assertThat(given).isSortedAccordingTo((one, other) -> Long.compare(other, one));
        assertThat(given.get(0)).isGreaterThan(MIB / 2);
        assertThat(given.get(given.size() - 1)).isEqualTo(least);
        assertThat(given).hasSizeGreaterThan(500);
    }

    /** Its windows are beyond that, so they do not use it up when others come. */
    @Test
    void whatIsSetAsideForAPeerIsThereWhateverItAndOthersHave() {
        Share first = account.share("crowd");
        long least = 8 << 10;
        long windows = first.takeSome(MemoryUse.WINDOWS, least, 4 * MIB);
        assertThat(windows).isGreaterThan(MIB / 2);
        while (account.hasRoomFor("crowd", 1)) {
            assertThat(takeAll(account.share("crowd"), MemoryUse.WINDOWS)).isPositive();
        }
        long had = least;
        for (; first.takeSome(MemoryUse.WINDOWS, least, 4 * MIB) != 0; had += least) {
            assertThat(had).isLessThan(MIB);
        }
        assertThat(had).isBetween(MemoryAccount.GUARANTEED - least, MemoryAccount.GUARANTEED);
        assertThat(account.stats().used()).isLessThanOrEqualTo(TOTAL);
    }

    @Test
    void aPeerThatLeavesLeavesNothingBehindButWhatItHasTaken() {
        Share share = account.share("peer");
        assertThat(share.tryTake(MemoryUse.MAILBOXES, MIB)).isTrue();
        share.close();
        share.close();
        assertThat(account.stats().used()).isEqualTo(MIB);
        assertThat(account.stats().uses()).containsEntry(MemoryUse.MAILBOXES, MIB);
        share.give(MemoryUse.MAILBOXES, MIB);
        assertThat(account.stats().used()).isZero();
    }

    @Test
    void onePeersLongMessagesDoNotHoldUpAnothers() {
        Share greedy = account.share("peers");
        AtomicInteger granted = new AtomicInteger();
        for (int i = 0; i < 6; i++) {
            var unused = greedy.lease(6 * MIB, loop, granted::incrementAndGet);
        }
        assertThat(granted.get()).isBetween(1, 3);
        int before = granted.get();
        Share modest = account.share("peers");
        assertThat(modest.lease(MIB, loop, granted::incrementAndGet)).isNull();
        assertThat(granted.get()).isEqualTo(before + 1);
    }

    /** Peers take windows, and one of them a message as long as it gets. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void theLongestMessageLeavesRoomForOthers(int peers) {
        List<Share> greedy = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            Share share = account.share("crowd");
            greedy.add(share);
            for (int channels = 0; channels < 10; channels++) {
                assertThat(share.takeSome(MemoryUse.WINDOWS, 8 << 10, 4 * MIB)).isPositive();
            }
        }
        AtomicInteger granted = new AtomicInteger();
        long longest = account.longestLease();
        for (MemoryAccount.Lease waiting;
                (waiting = greedy.get(0).lease(longest, loop, granted::incrementAndGet)) != null;
                longest -= 64 << 10) {
            greedy.get(0).cancel(waiting);
        }
        assertThat(longest).isGreaterThan(2 * MIB);
        Share modest = account.share("crowd");
        assertThat(modest.lease(MIB / 2, loop, granted::incrementAndGet)).isNull();
        assertThat(modest.takeSome(MemoryUse.WINDOWS, 8 << 10, MIB)).isPositive();
        assertThat(account.hasRoomFor("crowd", 1)).isTrue();
    }

    @Test
    void whoWaitsIsLentInOrderAsSoonAsThereIsEnough() {
        Share first = account.share("a");
        Share second = account.share("b");
        List<String> granted = new ArrayList<>();
        var unused2 = first.lease(16 * MIB, loop, () -> granted.add("first"));
        MemoryAccount.Lease gone = second.lease(16 * MIB, loop, () -> granted.add("gone"));
        var unused3 = second.lease(8 * MIB, loop, () -> granted.add("second"));
        var unused4 = second.lease(MIB, loop, () -> granted.add("third"));
        assertThat(granted).containsExactly("first");
        second.cancel(gone);
        first.giveBackLease(16 * MIB);
        loop.settle();
        assertThat(granted).containsExactly("first", "second", "third");
        assertThat(account.lent()).isEqualTo(9 * MIB);
        second.giveBackLease(9 * MIB);
        assertThat(account.lent()).isZero();
    }

    @Test
    void eachOfThoseWhoWaitIsLentOneInTurn() {
        Share holder = account.share("a");
        Share first = account.share("b");
        Share second = account.share("c");
        List<String> granted = new ArrayList<>();
        Share other = account.share("d");
        assertThat(holder.lease(16 * MIB, loop, () -> {})).isNull();
        assertThat(other.lease(12 * MIB, loop, () -> {})).isNull();
        var unused = first.lease(5 * MIB, loop, () -> granted.add("first"));
        var unused2 = first.lease(MIB, loop, () -> granted.add("first once more"));
        var unused3 = second.lease(5 * MIB, loop, () -> granted.add("second"));
        assertThat(granted).isEmpty();
        holder.giveBackLease(16 * MIB);
        loop.settle();
        assertThat(granted).containsExactly("first", "second", "first once more");
    }

    /** If all that somebody waits for were looked at whenever memory is given back, this would take hours. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoWaitsForMuchCostsOthersNothing() {
        Share holder = account.share("a");
        Share greedy = account.share("b");
        Share modest = account.share("c");
        var unused = holder.lease(16 * MIB, loop, () -> {});
        for (int i = 0; i < 300_000; i++) {
            assertThat(greedy.lease(16 * MIB, loop, () -> {})).isNotNull();
        }
        for (int i = 0; i < 300_000; i++) {
            modest.take(MemoryUse.MAILBOXES, 1);
            modest.give(MemoryUse.MAILBOXES, 1);
        }
        greedy.close();
        holder.giveBackLease(16 * MIB);
        assertThat(account.lent()).isZero();
    }

    @Test
    void whatWaitsForAPeerThatIsGoneIsLentToNobody() {
        Share first = account.share("a");
        Share second = account.share("b");
        AtomicInteger granted = new AtomicInteger();
        var unused5 = first.lease(16 * MIB, loop, () -> {});
        var unused6 = second.lease(16 * MIB, loop, granted::incrementAndGet);
        second.close();
        first.giveBackLease(16 * MIB);
        first.close();
        loop.settle();
        assertThat(granted).hasValue(0);
        assertThat(account.stats().used()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whateverIsTakenAndGivenBackTheSumIsRightAndTheBoundKept(long seed) {
        Random random = new Random(seed);
        List<Share> shares = new ArrayList<>();
        List<Long> least = new ArrayList<>();
        List<Long> extra = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            int at = shares.isEmpty() ? 0 : random.nextInt(shares.size());
            switch (random.nextInt(10)) {
                case 0 -> {
                    Object identity = "of " + random.nextInt(3);
                    if (account.hasRoomFor(identity, 1)) {
                        shares.add(account.share(identity));
                        least.add(0L);
                        extra.add(0L);
                    }
                }
                case 1 -> {
                    if (!shares.isEmpty() && shares.size() > 20) {
                        shares.get(at).give(MemoryUse.WINDOWS, least.get(at) + extra.get(at), extra.get(at));
                        shares.get(at).close();
                        shares.remove(at);
                        least.remove(at);
                        extra.remove(at);
                    }
                }
                case 2, 3 -> {
                    if (!shares.isEmpty()) {
                        long part = (long) (random.nextDouble() * least.get(at));
                        long ofExtra = (long) (random.nextDouble() * extra.get(at));
                        shares.get(at).give(MemoryUse.WINDOWS, part + ofExtra, ofExtra);
                        least.set(at, least.get(at) - part);
                        extra.set(at, extra.get(at) - ofExtra);
                    }
                }
                default -> {
                    if (!shares.isEmpty()) {
                        long needed = random.nextInt(1 << 16);
                        long bytes = shares.get(at).takeSome(MemoryUse.WINDOWS, needed, random.nextInt(1 << 24));
                        if (bytes > 0) {
                            least.set(at, least.get(at) + needed);
                            extra.set(at, extra.get(at) + bytes - needed);
                        }
                    }
                }
            }
            long sum = extra.stream().mapToLong(each -> each).sum()
                    + least.stream()
                            .mapToLong(each -> Math.max(each, MemoryAccount.GUARANTEED))
                            .sum();
            assertThat(account.stats().used()).isEqualTo(sum).isLessThanOrEqualTo(TOTAL);
        }
        for (int i = 0; i < shares.size(); i++) {
            shares.get(i).give(MemoryUse.WINDOWS, least.get(i) + extra.get(i), extra.get(i));
            shares.get(i).close();
        }
        assertThat(account.stats().used()).isZero();
        assertThat(account.stats().uses().values()).containsOnly(0L);
    }

    @Test
    void whoHasUsedUpItsShareStillOpensSomeChannels() {
        MemoryAccount.Share peer = account.share("anybody");
        while (peer.tryTake(MemoryUse.ANSWERS, MIB / 4)) {
            // As much as there is.
        }
        long before = account.stats().used();
        long least = 8 << 10;
        int channels = 0;
        while (peer.takeSome(MemoryUse.WINDOWS, least, MIB) > 0) {
            channels++;
        }
        assertThat(channels).isGreaterThan(50);
        assertThat(peer.takeSome(MemoryUse.REQUESTS, least, MIB)).isZero();
        assertThat(account.stats().used() - before).isLessThan(before / 7);
    }
}
