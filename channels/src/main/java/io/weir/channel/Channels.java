package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a session by their numbers: how they are opened from both sides, with how much memory, and what may
 * still be said about one that has ended. Loop thread only.
 *
 * @param <C> a channel
 */
final class Channels<C> {

    /** Makes a channel. */
    interface Maker<C> {

        /**
         * Makes one.
         *
         * @param least bytes that it needs of the memory's account
         * @param promised bytes that were taken from there
         */
        C make(int number, String port, Window window, long least, long promised);
    }

    /**
     * Bytes of a window where there is memory for no more: credit for a short message at a time, and what is longer is
     * lent.
     */
    private static final int LEAST_WINDOW = 4 << 10;

    /** Messages that may come at first, in the same case. */
    private static final int LEAST_ITEMS = 4;

    /**
     * A peer numbers its channels one after the other, but leaves out those of channels that are still open: so many,
     * and ten times more, may never be in between.
     */
    private static final int LARGEST_STEP = 1 << 24;

    private final NodeSpec spec;
    private final MemoryAccount.Share memory;
    private final PeerId peer;
    private final Outbox outbox;
    private final Counters counters;
    private final Maker<C> maker;
    private final ByNumber<C> byNumber = new ByNumber<>();
    private final Refusals refusals;

    /** The one that a frame was for last, and its number. */
    private @Nullable C latest;

    private int latestNumber;

    private int nextNumber;
    /** The number of the channel that the peer has opened last. */
    private int latestTheirs;

    /** @param connecting whether our side has connected: each numbers its channels by odd or by even numbers */
    Channels(
            NodeSpec spec,
            MemoryAccount.Share memory,
            PeerId peer,
            Outbox outbox,
            Counters counters,
            boolean connecting,
            Maker<C> maker) {
        this.spec = spec;
        this.memory = memory;
        this.peer = peer;
        this.outbox = outbox;
        this.counters = counters;
        this.maker = maker;
        this.refusals = new Refusals();
        this.nextNumber = connecting ? 1 : 2;
        this.latestTheirs = connecting ? 0 : -1;
    }

    int size() {
        return byNumber.size();
    }

    boolean isEmpty() {
        return byNumber.isEmpty();
    }

    /** Those of now: what is done with one may end it, or others. */
    List<C> copy() {
        return byNumber.copy();
    }

    boolean all(Predicate<C> condition) {
        for (C channel : byNumber.values()) {
            if (!condition.test(channel)) {
                return false;
            }
        }
        return true;
    }

    @Nullable
    C find(int number) {
        C last = latest;
        if (last != null && latestNumber == number) {
            return last;
        }
        C found = number == 0 ? null : byNumber.get(number);
        if (found != null) {
            latest = found;
            latestNumber = number;
        }
        return found;
    }

    /**
     * Opens a channel from here.
     *
     * @throws Overloaded if there are too many, or no memory for another one
     */
    C open(String port) {
        if (isFull()) {
            throw new Overloaded("there are " + size() + " channels to " + peer + " already (weir.max.channels="
                    + spec.limits().channels() + ')');
        }
        int number = freeNumber();
        C channel = channel(number, port);
        if (channel == null) {
            throw new Overloaded(noMemory());
        }
        nextNumber = number + 2;
        return channel;
    }

    /** The peer opens a channel; returns null if there is no room for it, which the peer is going to be sent. */
    @Nullable
    C opened(Frame in) {
        int number = in.channel();
        String port = in.body().toString(StandardCharsets.UTF_8);
        int step = number - latestTheirs;
        if (isOurs(number) || step <= 0 || step > LARGEST_STEP || number == 0 || byNumber.has(number)) {
            throw new ProtocolMismatch(
                    "OPEN with channel number " + Integer.toUnsignedString(number) + ", which is not the peer's next");
        }
        if (in.body().readableBytes() > PortNames.LONGEST) {
            throw new ProtocolMismatch("OPEN with a port name of " + in.body().readableBytes() + " bytes");
        }
        latestTheirs = number;
        C channel = isFull() ? null : channel(number, port);
        if (channel == null) {
            refusals.add(number);
        }
        return channel;
    }

    void remove(int number, C channel) {
        if (channel.equals(byNumber.get(number))) {
            var unused = byNumber.remove(number);
        }
        if (channel.equals(latest)) {
            latest = null;
        }
        count();
    }

    /** A channel that has ended may still be spoken of for a while; one that never was may not. */
    void checkKnown(Frame in) {
        int number = in.channel();
        if (number == 0 || (isOurs(number) ? number - nextNumber >= 0 : number - latestTheirs > 0)) {
            throw unknown(in);
        }
    }

    static ProtocolMismatch unknown(Frame in) {
        return new ProtocolMismatch(
                in.kind() + " for channel " + Integer.toUnsignedString(in.channel()) + ", which is not open");
    }

    private boolean isFull() {
        return size() >= spec.limits().channels();
    }

    /** Whether a channel of this number is one that we open. */
    boolean isOurs(int number) {
        return (number & 1) == (nextNumber & 1);
    }

    /**
     * The next one, also when all have been used once: those of channels that are still open are left out, and so is 0.
     */
    private int freeNumber() {
        int number = nextNumber;
        while (number == 0 || byNumber.has(number)) {
            number += 2;
        }
        return number;
    }

    /**
     * A channel whose window is as large as it should be, or as there is memory for. Null if there is none at all.
     */
    private @Nullable C channel(int number, String port) {
        long bytes = spec.windows().bytes();
        long items = spec.windows().initial();
        long least = MemoryAccount.CHANNEL
                + Math.min(bytes, LEAST_WINDOW)
                + Math.min(items, LEAST_ITEMS) * MemoryAccount.ITEM;
        long most = MemoryAccount.CHANNEL + bytes + items * MemoryAccount.ITEM;
        long promised = memory.takeSome(MemoryUse.WINDOWS, least, most);
        if (promised == 0) {
            return null;
        }
        if (promised < most) {
            items = Math.min(items, Math.max(LEAST_ITEMS, promised / 4 / MemoryAccount.ITEM));
            bytes = promised - MemoryAccount.CHANNEL - items * MemoryAccount.ITEM;
        }
        Window window = new Window(
                spec.windows().items(), Math.min(bytes, spec.windows().bytes()), items);
        window.prefetch(window.outstanding());
        C channel = maker.make(number, port, window, least, promised);
        byNumber.put(number, channel);
        count();
        return channel;
    }

    private void count() {
        counters.channels = byNumber.size();
    }

    private String noRoom() {
        return isFull()
                ? "too many channels (weir.max.channels=" + spec.limits().channels() + ')'
                : noMemory();
    }

    private String noMemory() {
        return "there is no memory for another channel with " + peer + ": " + size()
                + " are open, and what peers may have is used up (weir.memory.max)";
    }

    /**
     * Channels for which there is no room, until the peer has been sent that. Its opener sends nothing before it is
     * accepted, so nothing else is to be known of them.
     */
    private final class Refusals extends ControlFrames {

        private final ArrayDeque<Integer> numbers = new ArrayDeque<>(0);

        Refusals() {
            super(outbox);
        }

        void add(int number) {
            if (numbers.size() >= spec.limits().channels()) {
                throw new ProtocolMismatch("OPEN although " + numbers.size()
                        + " channels are refused and it does not read that (weir.max.channels)");
            }
            numbers.add(number);
            list();
        }

        @Override
        boolean send() {
            for (Integer number; (number = numbers.peek()) != null; numbers.remove()) {
                ByteBuf text = Unpooled.wrappedBuffer(noRoom().getBytes(StandardCharsets.UTF_8));
                if (!outbox.offer(outbox.frame()
                        .set(FrameKind.ERROR, 0, number, ErrorCode.OVERLOADED.code())
                        .body(text))) {
                    return false;
                }
            }
            return true;
        }
    }
}
