package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UndeliveredTest {

    private static final long TOTAL = 64 << 20;
    private static final int MAX_FRAME = 96;

    private final MemoryAccount account = new MemoryAccount(TOTAL, TOTAL);
    private final Undelivered undelivered = new Undelivered(new Retained(account.share("peer"), 1 << 20));
    private final List<ByteBuf> bodies = new ArrayList<>();

    /** A link that hands back what it has, and takes as much as it has room for. */
    private final class Wire implements Link {

        final List<Frame> has = new ArrayList<>();
        final List<String> taken = new ArrayList<>();
        boolean knows = true;
        int room = Integer.MAX_VALUE;

        Wire put(FrameKind kind, int channel, int length) {
            ByteBuf body = Unpooled.buffer(length).writerIndex(length);
            bodies.add(body);
            has.add(new Frame().set(kind, 0, channel, 0, body));
            return this;
        }

        @Override
        public boolean handBack(Consumer<Frame> to) {
            has.forEach(to);
            return knows;
        }

        @Override
        public boolean offer(Frame frame) {
            if (taken.size() == room) {
                return false;
            }
            taken.add(frame.kind() + " " + frame.channel() + " " + frame.length());
            frame.body().release();
            return true;
        }

        @Override
        public String transport() {
            return "wire";
        }

        @Override
        public int maxFrame() {
            return MAX_FRAME;
        }

        @Override
        public ByteBufAllocator allocator() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public void handler(LinkHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private Wire wire() {
        return new Wire();
    }

    private List<String> sentAgainOver(Wire wire) {
        while (undelivered.isDue() && undelivered.offerNext(wire)) {
            // On.
        }
        undelivered.forgetIfNothingWaits();
        return wire.taken;
    }

    @AfterEach
    void eachBodyIsReleasedOnceAndNoMemoryIsKept() {
        undelivered.end();
        assertThat(bodies).allMatch(body -> body.refCnt() == 0);
        assertThat(account.stats().uses().getOrDefault(MemoryUse.UNCONFIRMED, 0L))
                .isZero();
    }

    @Test
    void theLastOnesThatThePeerLacksGoAgainInTheirOrder() {
        Wire lost = wire().put(FrameKind.DATA, 1, 10).put(FrameKind.DATA, 2, 20).put(FrameKind.DATA, 3, 30);
        assertThat(undelivered.takeBack(lost, true)).isTrue();
        assertThat(undelivered.kept()).isEqualTo(3);
        assertThat(undelivered.isDue()).isFalse();
        undelivered.sendAgain(2, wire());
        assertThat(undelivered.sentAgain()).isEqualTo(2);
        assertThat(sentAgainOver(wire())).containsExactly("DATA 2 20", "DATA 3 30");
    }

    @Test
    void whatALinkSaysOfItselfDoesNotGoAgain() {
        Wire lost = wire().put(FrameKind.DATA, 1, 10).put(FrameKind.PROPOSE, 0, 5);
        assertThat(undelivered.takeBack(lost, true)).isTrue();
        assertThat(undelivered.kept()).isEqualTo(1);
    }

    @Test
    void whatMayBeDroppedIsNotKept() {
        assertThat(undelivered.takeBack(wire().put(FrameKind.DATA, 1, 10), false))
                .isTrue();
        assertThat(undelivered.kept()).isZero();
    }

    @Test
    void aLinkThatDoesNotKnowWhatItHasDeliveredIsNotMadeUpFor() {
        Wire lost = wire().put(FrameKind.DATA, 1, 10);
        lost.knows = false;
        assertThat(undelivered.takeBack(lost, true)).isFalse();
    }

    @Test
    void whatGoesAgainWaitsForRoomAndSurvivesTheNextLoss() {
        assertThat(undelivered.takeBack(wire().put(FrameKind.DATA, 1, 10).put(FrameKind.DATA, 2, 20), true))
                .isTrue();
        undelivered.sendAgain(2, wire());
        Wire narrow = wire();
        narrow.room = 1;
        assertThat(sentAgainOver(narrow)).containsExactly("DATA 1 10");
        assertThat(undelivered.isDue()).isTrue();
        // Lost as well, with what it has taken: what it had no room for is behind that.
        assertThat(undelivered.takeBack(wire().put(FrameKind.DATA, 1, 10), true))
                .isTrue();
        assertThat(undelivered.kept()).isEqualTo(2);
        assertThat(undelivered.sentAgain()).isEqualTo(1);
        undelivered.sendAgain(2, wire());
        assertThat(sentAgainOver(wire())).containsExactly("DATA 1 10", "DATA 2 20");
    }

    @Test
    void whatIsTooLongForTheOtherLinkIsCut() {
        assertThat(undelivered.takeBack(wire().put(FrameKind.DATA, 1, 250), true))
                .isTrue();
        undelivered.sendAgain(1, wire());
        assertThat(sentAgainOver(wire())).containsExactly("FIRST 1 96", "NEXT 1 96", "NEXT 1 58");
    }

    @Test
    void whereThereIsNoMemoryForItTheSessionCanNotGoOn() {
        Wire lost = wire();
        for (int i = 0; i < 600_000; i++) {
            lost.has.add(new Frame().set(FrameKind.DATA, 0, i, 0));
        }
        assertThat(undelivered.takeBack(lost, true)).isFalse();
        assertThat(account.stats().used()).isLessThanOrEqualTo(TOTAL);
    }

    @Test
    void whatThePeerHasIsForgotten() {
        assertThat(undelivered.takeBack(wire().put(FrameKind.DATA, 1, 10), true))
                .isTrue();
        undelivered.dropKept();
        assertThat(undelivered.kept()).isZero();
        assertThat(sentAgainOver(wire())).isEmpty();
    }
}
