package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerUnavailable;
import io.weir.fabric.guest.DeviceCheck;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How two halves find each other, or don't. */
@ExtendWith(DeviceCheck.class)
class DaplHalfInGuest {

    private static final SlotPlan PLAN = new SlotPlan(8, 36 << 10);
    private static final int LIMIT_SECONDS = 90;

    private final List<DaplHalf> open = new ArrayList<>();

    private DaplHalf half(boolean connecting) {
        DaplHalf half = DaplHalf.open(DaplAdapter.open("ofa-v2-cma-rxe", false), PLAN, connecting, List.of());
        open.add(half);
        return half;
    }

    @AfterEach
    void close() {
        Collections.reverse(open);
        for (DaplHalf half : open) {
            half.wire().close();
            half.close();
        }
    }

    private static CompletableFuture<Void> joining(DaplHalf half) {
        return CompletableFuture.runAsync(half::join);
    }

    private static void assertGivenUp(CompletableFuture<Void> join, String reason) {
        assertThat(join)
                .failsWithin(LIMIT_SECONDS, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(PeerUnavailable.class)
                .withMessageContaining(reason);
    }

    @Test
    void strangersAreTurnedAwayAndThePeerIsLetIn() {
        DaplHalf listening = half(false);
        DaplHalf stranger = half(true);
        DaplHalf peer = half(true);
        DaplOffer offer = DaplOffer.decode(listening.offer(), true);
        DaplOffer guessed =
                new DaplOffer(offer.address(), offer.maxReads(), offer.qualifier(), Nonce.random(), offer.plan());
        assertThat(stranger.read(guessed.encode())).isEqualTo(PLAN);
        assertThat(peer.read(offer.encode())).isEqualTo(PLAN);
        assertThat(listening.read(peer.offer())).isEqualTo(PLAN);
        CompletableFuture<Void> listens = joining(listening);
        assertGivenUp(joining(stranger), "the peer takes us for somebody else");
        assertThat(listens).isNotDone();
        assertThat(joining(peer)).succeedsWithin(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(listens).succeedsWithin(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void nobodyWaitsForAPeerAfterGivingUp() {
        DaplHalf listening = half(false);
        assertThat(listening.read(half(true).offer())).isEqualTo(PLAN);
        CompletableFuture<Void> listens = joining(listening);
        listening.giveUp();
        assertGivenUp(listens, "given up");
    }

    @Test
    void nobodyListensAnyMore() {
        DaplHalf listening = half(false);
        DaplHalf peer = half(true);
        assertThat(peer.read(listening.offer())).isEqualTo(PLAN);
        open.remove(listening);
        listening.wire().close();
        listening.close();
        assertGivenUp(joining(peer), "nobody listens there");
    }

    /** Whoever reads its events is told, and what had come before is told first. */
    @Test
    void aPeerThatGoesIsNoticed() {
        DaplHalf listening = half(false);
        DaplHalf peer = half(true);
        assertThat(peer.read(listening.offer())).isEqualTo(PLAN);
        assertThat(listening.read(peer.offer())).isEqualTo(PLAN);
        LinkMemory memory = LinkMemory.make(listening.domain(), PLAN, PLAN, 0);
        try {
            memory.makeReady(listening.wire());
            CompletableFuture<Void> listens = joining(listening);
            assertThat(joining(peer)).succeedsWithin(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(listens).succeedsWithin(LIMIT_SECONDS, TimeUnit.SECONDS);
            open.remove(peer);
            peer.wire().close();
            peer.close();
            CompletableFuture<Void> told = CompletableFuture.runAsync(() -> {
                while (listening.wire().poll(new Nothing()) == 0) {
                    Thread.onSpinWait();
                }
            });
            assertThat(told)
                    .failsWithin(LIMIT_SECONDS, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("receiving")
                    .withMessageContaining("the peer has disconnected");
        } finally {
            open.remove(listening);
            listening.wire().close();
            memory.close();
            listening.close();
        }
    }

    private static final class Nothing implements Wire.Completions {

        @Override
        public void received(int bytes) {
            throw new AssertionError("nothing was sent");
        }

        @Override
        public void sent(long number) {
            throw new AssertionError("nothing was sent");
        }

        @Override
        public void read(int token) {
            throw new AssertionError("nothing was read");
        }
    }
}
