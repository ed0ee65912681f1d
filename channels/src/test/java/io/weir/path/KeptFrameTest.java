package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeptFrameTest {

    private static final int MAX_FRAME = 96;
    private static final byte[] CONTROL = new byte[10];

    /** All that the test makes; who has them at its end releases them. */
    private final List<ByteBuf> bodies = new ArrayList<>();

    private final List<KeptFrame> pieces = new ArrayList<>();

    /** Takes nothing: who cuts only asks it what it would take. */
    private record Narrow(boolean takesInPlace) implements Link {

        @Override
        public String transport() {
            return "narrow";
        }

        @Override
        public int maxFrame() {
            return MAX_FRAME;
        }

        @Override
        public boolean takesInPlace(ByteBuf body) {
            return takesInPlace;
        }

        @Override
        public ByteBufAllocator allocator() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public boolean offer(Frame frame) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void handler(LinkHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    /** Bytes from 0 on. */
    private ByteBuf body(int length) {
        ByteBuf body = Unpooled.buffer(length);
        for (int i = 0; i < length; i++) {
            body.writeByte(i);
        }
        bodies.add(body);
        return body;
    }

    private static KeptFrame kept(FrameKind kind, ByteBuf body) {
        return KeptFrame.of(new Frame().set(kind, 2, 7, 11, body).words(1000, 5).control(CONTROL));
    }

    private List<String> shapes() {
        return pieces.stream()
                .map(each -> each.kind() + " " + each.flags() + " " + each.channel() + " " + each.aux() + " "
                        + each.first() + " " + each.control().length + "+"
                        + each.body().readableBytes())
                .toList();
    }

    private ByteBuf joined() {
        CompositeByteBuf all = Unpooled.compositeBuffer();
        pieces.forEach(each -> all.addComponent(true, each.body().retainedSlice()));
        return all;
    }

    @AfterEach
    void eachBodyIsReleasedOnce() {
        pieces.forEach(KeptFrame::release);
        assertThat(bodies).allMatch(body -> body.refCnt() == 0);
    }

    @Test
    void whatWasLentIsKeptWhole() {
        Frame lent = new Frame();
        ByteBuf body = body(20);
        KeptFrame kept = KeptFrame.of(
                lent.set(FrameKind.FIRST, 2, 7, 11, body).words(1000, 5).control(CONTROL));
        // The holder is used for another one meanwhile.
        lent.set(FrameKind.END, 1, 8, 12);
        Frame again = kept.into(new Frame());
        assertThat(again)
                .returns(FrameKind.FIRST, Frame::kind)
                .returns(2, Frame::flags)
                .returns(7, Frame::channel)
                .returns(11, Frame::aux)
                .returns(1000L, Frame::first)
                .returns(5L, Frame::second)
                .returns(CONTROL, Frame::control)
                .returns(body, Frame::body);
        assertThat(body.refCnt()).isOne();
        again.release();
    }

    @Test
    void whatALinkSaysBelongsToNoChannel() {
        Frame holder = new Frame().set(FrameKind.DATA, 3, 7, 11).words(1, 2).control(CONTROL);
        ByteBuf reason = body(3);
        assertThat(KeptFrame.of(FrameKind.LOST, 1, 4, 9, reason).into(holder))
                .isSameAs(holder)
                .returns(FrameKind.LOST, Frame::kind)
                .returns(1, Frame::flags)
                .returns(0, Frame::channel)
                .returns(4, Frame::aux)
                .returns(9L, Frame::first)
                .returns(0L, Frame::second)
                .returns(3, Frame::length)
                .returns(reason, Frame::body);
        assertThat(KeptFrame.of(FrameKind.RESUME, 4, 9).into(holder).length()).isZero();
        reason.release();
    }

    @Test
    void whatIsAboutTheLinksThemselvesDoesNotCount() {
        assertThat(FrameKind.values())
                .filteredOn(KeptFrame::counts)
                .contains(FrameKind.GOODBYE, FrameKind.PING, FrameKind.DATA, FrameKind.NEXT, FrameKind.ABORT)
                .doesNotContain(FrameKind.HELLO, FrameKind.MOVE, FrameKind.RESUME, FrameKind.LOST, FrameKind.ACK);
    }

    @Test
    void whatIsReleasedTogetherIsTakenOut() {
        Queue<KeptFrame> waiting = new ArrayDeque<>(List.of(
                kept(FrameKind.DATA, body(1)), KeptFrame.of(FrameKind.MOVED, 1, 0), kept(FrameKind.NEXT, body(2))));
        KeptFrame.releaseAll(waiting);
        assertThat(waiting).isEmpty();
        assertThat(bodies).hasSize(2).allMatch(body -> body.refCnt() == 0);
    }

    @Test
    void whatTheLinkTakesIsNotCut() {
        KeptFrame fits = kept(FrameKind.DATA, body(MAX_FRAME - CONTROL.length));
        KeptFrame inPlace = kept(FrameKind.DATA, body(10 * MAX_FRAME));
        fits.cutFor(new Narrow(false), pieces);
        inPlace.cutFor(new Narrow(true), pieces);
        assertThat(pieces).containsExactly(fits, inPlace);
        assertThat(bodies).allMatch(body -> body.refCnt() == 1);
    }

    @Test
    void aMessageInPiecesIsTheSameMessage() {
        ByteBuf body = body(250);
        ByteBuf same = body.copy().skipBytes(30);
        kept(FrameKind.DATA, body.skipBytes(30)).cutFor(new Narrow(false), pieces);
        assertThat(shapes()).containsExactly("FIRST 2 7 11 220 10+80", "NEXT 0 7 0 0 0+80", "NEXT 0 7 0 0 0+60");
        ByteBuf joined = joined();
        assertThat(joined).isEqualTo(same);
        joined.release();
        same.release();
        assertThat(body.refCnt()).as("each piece holds it").isEqualTo(3);
    }

    /** Its whole length is that of the message, of which it is a piece itself. */
    @Test
    void aPieceIsCutIntoSmallerOnes() {
        kept(FrameKind.FIRST, body(100)).cutFor(new Narrow(false), pieces);
        assertThat(shapes()).containsExactly("FIRST 2 7 11 1000 10+80", "NEXT 0 7 0 0 0+20");
    }

    @Test
    void aFurtherPieceStaysAFurtherPiece() {
        KeptFrame.of(new Frame().set(FrameKind.NEXT, 0, 7, 0, body(200))).cutFor(new Narrow(false), pieces);
        assertThat(shapes()).containsExactly("NEXT 0 7 0 0 0+96", "NEXT 0 7 0 0 0+96", "NEXT 0 7 0 0 0+8");
    }
}
