package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.ContentMemory;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LoopBuffers;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.concurrent.CompletableFuture;

/** A way to break one promise of a link, and the test that has to notice. */
enum Sabotage {
    LOSES_A_FRAME("keepsOrderAndContentBothWaysAtOnce"),
    DOUBLES_A_FRAME("carriesManySmallFrames"),
    CHANGES_A_BYTE("keepsOrderAndContentBothWaysAtOnce"),
    KEEPS_ITS_FLAGS("carriesEveryKindWithExtremeNumbers"),
    DROPS_A_WORD("carriesEveryKindWithExtremeNumbers"),
    REUSES_CONTROL_DATA("whatWasDeliveredStaysAsItIs"),
    FORGETS_WRITABLE("saysThatThereIsRoomEachTime"),
    CALLS_FROM_WITHIN_OFFER("saysNoWhenTheOtherSideStandsStill"),
    CALLS_WITHOUT_A_NO("keepsOrderAndContentBothWaysAtOnce"),
    CALLS_ON_ANOTHER_THREAD("carriesManySmallFrames"),
    RELEASES_ON_NO("takesNothingWhenItSaysNo"),
    TAKES_WITHOUT_END("takesNothingWhenItSaysNo"),
    LEAKS_A_BODY("everyBufferIsReleasedOnceHoweverItEnds"),
    RELEASES_TWICE("everyBufferIsReleasedOnceHoweverItEnds"),
    TAKES_WHAT_IS_TOO_LONG("refusesWhatItCantTakeAndGoesOn"),
    TAKES_AFTER_CLOSE("offersAfterCloseAreRefusedForGood"),
    TELLS_THE_CLOSER("nothingComesAfterAClose"),
    TELLS_TWICE("lostIsToldOnceAndCanBeAnsweredWithAClose"),
    FORGETS_WHAT_IS_UNDER_WAY("whatWasOfferedBeforeCloseArrives"),
    SAYS_NOTHING_AT_THE_END("offersAfterCloseAreRefusedForGood"),
    MOVES_THE_READER_INDEX("takesNothingWhenItSaysNo"),
    KEEPS_WHAT_IS_LENT("takesContentThatIsOnlyLentOrSaysSo"),
    COPIES_WHAT_IS_LENT_ON_NO("aRefusedLentFrameChangesNothing"),
    LENDS_OTHER_CONTENT("lentContentCanBeCopied");

    final String noticedBy;

    Sabotage(String noticedBy) {
        this.noticedBy = noticedBy;
    }

    /** The link, sabotaged. */
    Link on(FaultyLink link, FaultyLink other) {
        return new Saboteur(this, link, other);
    }

    private static final class Saboteur implements Link, LinkHandler {

        private final Sabotage way;
        private final FaultyLink link;
        private final FaultyLink other;
        private final byte[] eight = new byte[8];
        private final ContentMemory zeros = new ContentMemory(LoopBuffers.LARGEST);
        private LinkHandler handler;
        private int offers;
        private int frames;
        private boolean closed;

        Saboteur(Sabotage way, FaultyLink link, FaultyLink other) {
            this.way = way;
            this.link = link;
            this.other = other;
        }

        @Override
        public String transport() {
            return link.transport();
        }

        @Override
        public int maxFrame() {
            return link.maxFrame();
        }

        @Override
        public boolean takesInPlace(ByteBuf body) {
            return link.takesInPlace(body);
        }

        @Override
        public ByteBufAllocator allocator() {
            return link.allocator();
        }

        @Override
        public boolean takesLent() {
            return way == KEEPS_WHAT_IS_LENT || way == COPIES_WHAT_IS_LENT_ON_NO;
        }

        @Override
        public boolean offer(Frame frame) {
            if (frame.isLent() && way == KEEPS_WHAT_IS_LENT) {
                offerLater(frame);
                return true;
            }
            ByteBuf body = frame.body();
            boolean turn = ++offers == 7;
            if (swallows(frame, turn)) {
                body.release();
                return true;
            }
            if (turn && way == LEAKS_A_BODY) {
                body.retain();
            }
            if (turn && way == DOUBLES_A_FRAME) {
                body.retain();
                boolean unused = link.offer(frame);
            }
            return link.offer(frame) ? taken(body) : refused(body);
        }

        private void offerLater(Frame frame) {
            ByteBuf lent = Unpooled.wrappedBuffer(frame.content().bytes(), 0, frame.bodyLength());
            Frame later = new Frame()
                    .set(frame.kind(), frame.flags(), frame.channel(), frame.aux(), lent)
                    .control(frame.control());
            link.loop().execute(() -> {
                boolean unused = link.offer(later);
            });
        }

        private boolean swallows(Frame frame, boolean turn) {
            return switch (way) {
                case LOSES_A_FRAME -> turn;
                case TAKES_AFTER_CLOSE -> closed;
                case TAKES_WHAT_IS_TOO_LONG -> frame.length() > maxFrame();
                default -> false;
            };
        }

        private boolean taken(ByteBuf body) {
            if (offers == 7 && way == RELEASES_TWICE) {
                body.release();
            }
            if (offers == 7 && way == CALLS_WITHOUT_A_NO) {
                link.loop().execute(() -> handler.writable());
            }
            return true;
        }

        private boolean refused(ByteBuf body) {
            switch (way) {
                case CALLS_FROM_WITHIN_OFFER -> handler.writable();
                case RELEASES_ON_NO -> body.release();
                case MOVES_THE_READER_INDEX -> body.skipBytes(1);
                case TAKES_WITHOUT_END -> {
                    body.release();
                    return true;
                }
                default -> {
                    // Only the no itself.
                }
            }
            return false;
        }

        @Override
        public void handler(LinkHandler handler) {
            this.handler = handler;
            link.handler(this);
        }

        @Override
        public void close() {
            if (way == FORGETS_WHAT_IS_UNDER_WAY) {
                other.breakHere(new SessionLost("sabotage"));
            }
            if (way != SAYS_NOTHING_AT_THE_END) {
                link.close();
            }
            if (way == TELLS_THE_CLOSER && !closed && handler != null) {
                closed = true;
                handler.lost(new SessionLost("sabotage"));
            }
            closed = true;
        }

        @Override
        public void frame(Frame frame) {
            boolean turn = ++frames == 7;
            switch (way) {
                case CHANGES_A_BYTE -> changeAByte(frame);
                case KEEPS_ITS_FLAGS ->
                    rebuilt(frame, frame.flags() | (turn ? 0x40 : 0), frame.first(), frame.control());
                case DROPS_A_WORD -> rebuilt(frame, frame.flags(), frame.second(), frame.control());
                case REUSES_CONTROL_DATA ->
                    rebuilt(frame, frame.flags(), frame.first(), inTheSameArray(frame.control()));
                case LENDS_OTHER_CONTENT -> lendOther(frame);
                default -> {
                    // As it is.
                }
            }
            if (turn && way == CALLS_ON_ANOTHER_THREAD) {
                CompletableFuture.runAsync(() -> handler.frame(frame)).join();
            } else {
                handler.frame(frame);
            }
        }

        private void changeAByte(Frame frame) {
            if (frames > 7 && frame.body().isReadable()) {
                ByteBuf changed = frame.body().copy();
                changed.setByte(0, ~changed.getByte(0));
                frame.body().release();
                Frame unused = frame.body(changed);
            }
        }

        private void lendOther(Frame frame) {
            int length = frame.bodyLength();
            if (frame.lendsNext() && length <= zeros.bytes().length) {
                frame.body().release();
                Frame unused = frame.body(Unpooled.EMPTY_BUFFER).lend(zeros, length);
            }
        }

        private static void rebuilt(Frame frame, int flags, long first, byte[] control) {
            FrameKind kind = frame.kind();
            long second = frame.second();
            ByteBuf body = frame.body();
            Frame unused = frame.set(kind, flags, frame.channel(), frame.aux())
                    .words(first, second)
                    .control(control)
                    .body(body);
        }

        private byte[] inTheSameArray(byte[] control) {
            if (control.length != eight.length) {
                return control;
            }
            System.arraycopy(control, 0, eight, 0, eight.length);
            return eight;
        }

        @Override
        public void writable() {
            if (way != FORGETS_WRITABLE) {
                handler.writable();
            }
        }

        @Override
        public void lost(WeirException reason) {
            handler.lost(reason);
            if (way == TELLS_TWICE) {
                handler.lost(reason);
            }
        }
    }
}
