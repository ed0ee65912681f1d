package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.Message;
import io.weir.core.Pollable;
import io.weir.core.SessionLost;
import io.weir.path.Flags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The wire between a session and whoever is at its other end, as that one sees it: knows by docs/wire.md alone what
 * has been granted, said and ended on each channel, and looks whether the session keeps the rules in what it sends.
 */
final class WirePeer implements Link, Pollable {

    static final int MAX_FRAME = 32 * 1024;

    /** What can be seen of a message at both ends. */
    record Whole(int length, int first, int last, boolean hasControl) {

        static Whole of(Message message) {
            return of(message.payload(), !message.control().isEmpty());
        }

        static Whole of(ByteBuf payload, boolean hasControl) {
            int length = payload.readableBytes();
            int at = payload.readerIndex();
            return new Whole(
                    length,
                    length == 0 ? 0 : payload.getByte(at),
                    length == 0 ? 0 : payload.getByte(at + length - 1),
                    hasControl);
        }
    }

    /** One channel. "We" are the peer, "it" is the session. */
    static final class Seen {

        final int number;
        final boolean ours;
        final String port;
        final boolean requests;
        /** ACCEPT has gone one way or the other. */
        boolean accepted;

        /** What it has granted us. */
        long items;

        long bytes;
        boolean weEnded;
        boolean weFailed;
        boolean itEnded;
        boolean itFailed;
        boolean itCancelled;
        /** We want to hear when everything was delivered. */
        boolean weAskDelivered;

        /** The same of it. */
        boolean itAsksDelivered;

        /** Of the long message that we are sending. */
        long left;

        /** What we have granted it. */
        long itsItems;

        long itsBytes;
        long itsLeft;
        /** Requests that we have sent and that have no answer. */
        final Set<Integer> asked = new HashSet<>();
        /** The same of it, in their order. */
        final List<Integer> itAsked = new ArrayList<>();
        /** All that it has ever asked: an answer may cross with what gives the request up. */
        final Set<Integer> itHasAsked = new HashSet<>();

        /** The messages that we have sent whole. */
        final List<Whole> sent = new ArrayList<>();

        /** The beginning and the length of the one that we are sending in pieces. */
        int first;

        int total;

        Seen(int number, boolean ours, String port, boolean requests) {
            this.number = number;
            this.ours = ours;
            this.port = port;
            this.requests = requests;
        }

        boolean over() {
            return weEnded && itEnded && !itAsksDelivered && (!weAskDelivered || itFailed);
        }

        @Override
        public String toString() {
            return "channel " + Integer.toUnsignedString(number) + " to " + port;
        }
    }

    private final Loop loop;
    private final Frame holder = new Frame();
    final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
    final Map<Integer, Seen> channels = new HashMap<>();
    /** Those that are not over for us, in the order in which they were opened. */
    final List<Seen> open = new ArrayList<>();

    @Nullable
    LinkHandler handler;

    /** Frames that it may still send; negative: as many as it likes. */
    int room = -1;

    boolean refused;
    boolean closed;
    boolean goodbye;
    /** The last channel that it has opened. */
    int latestIts;

    /** The peer has broken a rule, or may have. */
    boolean broken;

    @Nullable
    String wrong;

    WirePeer(Loop loop) {
        this.loop = loop;
        loop.add(this);
    }

    /** Only if the peer has kept the rules: else nobody can say what the session has to think of the channel. */
    private void checkIfRight(boolean right, String rule, Frame frame) {
        check(right || broken, rule, frame);
    }

    private void check(boolean right, String rule, Frame frame) {
        if (!right && wrong == null) {
            wrong = rule + ": " + frame;
        }
    }

    @Override
    public String transport() {
        return "memory";
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public ByteBufAllocator allocator() {
        return memory;
    }

    @Override
    public void handler(LinkHandler next) {
        handler = next;
    }

    @Override
    public boolean offer(Frame frame) {
        check(frame.length() <= MAX_FRAME, "longer than a frame may be", frame);
        check(!frame.isLent() && !frame.hasRegion(), "what this link does not take", frame);
        if (closed) {
            return false;
        }
        if (room == 0) {
            refused = true;
            return false;
        }
        room--;
        Trace.line(() -> "    it says " + frame + " " + frame.first() + ' ' + frame.second());
        check(!goodbye, "behind GOODBYE", frame);
        look(frame);
        frame.body().release();
        return true;
    }

    private void look(Frame frame) {
        int number = frame.channel();
        switch (frame.kind()) {
            case OPEN -> opens(frame);
            case GOODBYE -> goodbye = true;
            case PING, PONG -> check(number == 0, "no frame of a channel", frame);
            case ACCEPT, DATA, FIRST, NEXT, END, CANCEL, ERROR, CREDIT, WANT, DELIVERED, ABORT -> {
                Seen seen = channels.get(number);
                if (seen == null) {
                    checkIfRight(false, "for a channel that there is not", frame);
                } else {
                    look(seen, frame);
                }
            }
            default -> check(false, "no frame of a session", frame);
        }
    }

    private void opens(Frame frame) {
        int number = frame.channel();
        check(number != 0 && !channels.containsKey(number), "the number of a channel that there is", frame);
        check(frame.first() >= 0 && frame.second() >= 0, "negative credit", frame);
        latestIts = number;
        Seen seen = new Seen(
                number,
                false,
                frame.body().toString(java.nio.charset.StandardCharsets.UTF_8),
                frame.has(Flags.REQUESTS));
        seen.items = frame.first();
        seen.bytes = frame.second();
        channels.put(number, seen);
        open.add(seen);
    }

    private void look(Seen seen, Frame frame) {
        boolean awaited = frame.kind() == FrameKind.DELIVERED && seen.weAskDelivered;
        boolean mayBeLate = switch (frame.kind()) {
            case CANCEL, ERROR, CREDIT, WANT, ABORT -> true;
            default -> awaited;
        };
        checkIfRight(!seen.over() || mayBeLate, "for a channel that is over", frame);
        switch (frame.kind()) {
            case ACCEPT -> {
                checkIfRight(seen.ours && !seen.accepted && !seen.itEnded, "ACCEPT that nobody awaits", frame);
                seen.accepted = true;
                granted(seen, frame);
            }
            case CREDIT -> {
                checkIfRight(seen.accepted || !seen.ours, "CREDIT before ACCEPT", frame);
                granted(seen, frame);
            }
            case DATA -> {
                check(seen.itsLeft == 0, "DATA within a message", frame);
                costs(seen, frame, frame.length());
                answers(seen, frame);
            }
            case FIRST -> {
                check(seen.itsLeft == 0 && frame.first() >= 1, "FIRST out of place", frame);
                costs(seen, frame, frame.first() + frame.control().length);
                seen.itsLeft = frame.first();
                piece(seen, frame);
                answers(seen, frame);
            }
            case NEXT -> {
                check(!seen.itEnded && seen.itsLeft > 0, "NEXT out of place", frame);
                piece(seen, frame);
            }
            case END -> {
                check(!seen.itEnded && seen.itsLeft == 0, "END out of place", frame);
                seen.itEnded = true;
                seen.itAsksDelivered = frame.has(Flags.CONFIRM);
            }
            case ERROR -> {
                check(!seen.itFailed, "a second ERROR", frame);
                seen.itFailed = true;
                seen.itEnded = true;
                seen.itsLeft = 0;
                seen.itAsksDelivered = false;
            }
            // It says so once when it has failed, and once more when its subscriber has cancelled.
            case CANCEL -> seen.itCancelled = true;
            case WANT -> {
                check(!seen.itEnded, "WANT behind the end", frame);
                // It may have waited for room while the credit came.
                check(frame.first() > 0, "WANT of nothing", frame);
            }
            case ABORT -> checkIfRight(seen.itHasAsked.contains(frame.aux()), "ABORT of what was not asked", frame);
            default -> {
                checkIfRight(awaited, "DELIVERED that nobody awaits", frame);
                seen.weAskDelivered = false;
            }
        }
        forget(seen);
    }

    private void granted(Seen seen, Frame frame) {
        check(frame.first() >= 0 && frame.second() >= 0, "negative credit", frame);
        check((frame.first() | frame.second()) != 0 || frame.kind() == FrameKind.ACCEPT, "no credit", frame);
        seen.items += frame.first();
        seen.bytes += frame.second();
    }

    private void costs(Seen seen, Frame frame, long cost) {
        check(!seen.itEnded, "a message behind the end", frame);
        checkIfRight(seen.accepted, "a message before ACCEPT", frame);
        checkIfRight(seen.itsItems > 0 && seen.itsBytes >= cost, "a message without credit", frame);
        seen.itsItems--;
        seen.itsBytes -= cost;
    }

    private void piece(Seen seen, Frame frame) {
        int length = frame.body().readableBytes();
        check(length > 0 && length <= seen.itsLeft, "a piece that is too long or empty", frame);
        seen.itsLeft -= length;
    }

    private void answers(Seen seen, Frame frame) {
        if (frame.has(Flags.ANSWER)) {
            checkIfRight(seen.asked.remove(frame.aux()), "an answer to what was not asked, or a second one", frame);
        } else if (seen.requests && frame.has(Flags.REQUEST)) {
            checkIfRight(frame.aux() != 0 && !seen.itAsked.contains(frame.aux()), "a number that is in use", frame);
            seen.itAsked.add(frame.aux());
            seen.itHasAsked.add(frame.aux());
        }
    }

    void forget(Seen seen) {
        if (seen.over()) {
            open.remove(seen);
        }
    }

    /** Hands a frame to the session. The body is the session's then. */
    void send(Frame frame) {
        if (handler != null && !closed) {
            handler.frame(frame);
        } else {
            frame.body().release();
        }
    }

    Frame frame() {
        return holder;
    }

    static ByteBuf track(List<ByteBuf> all, ByteBuf body) {
        all.add(body);
        return body;
    }

    @Override
    public int poll() {
        if (refused && room != 0 && !closed && handler != null) {
            refused = false;
            handler.writable();
            return 1;
        }
        return 0;
    }

    void lose(String reason) {
        if (!closed) {
            close();
            if (handler != null) {
                handler.lost(new SessionLost(reason));
            }
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            loop.remove(this);
        }
    }

    @Override
    public boolean asleep() {
        return true;
    }

    @Override
    public void awake() {
        // The test's thread never sleeps.
    }
}
