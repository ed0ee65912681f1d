package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.WeirException;
import io.weir.path.Errors;
import io.weir.path.Flags;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All our requests to one port of one peer, over one channel. Requests beyond the peer's credit wait, up to a bound;
 * further ones fail with {@link Overloaded}. Loop thread only.
 */
final class Asker implements MessageSink, Feeder, Channel.Opening {

    /** More requests than this waiting for one port mean that nobody limits how many are begun at once. */
    private static final int MAX_WAITING = 16 * 1024;

    /** Requests that the channel has taken and not sent: when one of them is cancelled, it looks for it there. */
    private static final int MOST_IN_CHANNEL = 1024;

    /** Of these, an answer that is a value has the first one only. */
    private static final int ANSWERED = Flags.ANSWER | Flags.FAILED | Flags.EMPTY;

    private final Session session;
    private final String port;
    private final ByNumber<Ask> outstanding = new ByNumber<>();
    /** Cancelled, by who wants to see the answer if there is one all the same. */
    private final ByNumber<Ask> late = new ByNumber<>();
    /** Of which nothing was sent. */
    private final ArrayDeque<Ask> waiting = new ArrayDeque<>();
    /** Messages without an answer that the channel has taken and not sent yet, in its order. */
    private final ArrayDeque<Ask> sending = new ArrayDeque<>();

    private @Nullable Channel channel;
    private @Nullable Throwable failure;
    private boolean open;
    private int latest;
    /** Whether the latest answer was for an asker that reads in place. */
    private boolean takesContent;

    Asker(Session session, String port) {
        this.session = session;
        this.port = port;
    }

    String port() {
        return port;
    }

    void opened(Channel opened) {
        channel = opened;
        opened.outbound().feeder(this);
        opened.inbound().sink(this);
        opened.inbound().request(Long.MAX_VALUE);
    }

    boolean failed() {
        return failure != null;
    }

    void ask(Ask ask) {
        if (failure != null) {
            ask.fail(Errors.unsent(failure));
        } else if (open && waiting.isEmpty() && hasRoom()) {
            send(ask);
        } else if (waiting.size() < MAX_WAITING) {
            waiting.add(ask);
            if (open) {
                channel().outbound().hasMore();
            }
        } else {
            ask.fail(new Overloaded(waiting.size() + " requests to port '" + port + "' of " + session.peerId()
                    + " are waiting already; limit how many are begun at once"));
        }
    }

    /** A peer may grant credit for all messages and for no bytes: then all of them would wait in the channel. */
    private boolean hasRoom() {
        Outbound outbound = channel().outbound();
        return outbound.room() > 0 && outbound.queued() < MOST_IN_CHANNEL;
    }

    private Channel channel() {
        return Objects.requireNonNull(channel);
    }

    private void send(Ask ask) {
        if (!ask.isUnsent()) {
            return;
        }
        int flags = 0;
        if (ask.awaitsAnswer()) {
            ask.number = freeNumber();
            outstanding.put(ask.number, ask);
            if (isSampled(ask.number)) {
                ask.sentAt = System.nanoTime();
            }
            flags = Flags.REQUEST;
        }
        try {
            Outbound outbound = channel().outbound();
            if (!ask.sendsAtOnce(outbound, flags)) {
                Message message = ask.take();
                if (message == null) {
                    // Its codec has led to its end.
                    return;
                }
                outbound.send(message, flags, ask.number);
            }
        } catch (Throwable t) {
            // Also what the codec of its value throws.
            var unused = outstanding.remove(ask.number);
            ask.failWith(t);
            return;
        }
        Throwable failed = failure;
        if (failed != null) {
            // By this message, which can't be sent at all.
            ask.fail(failed);
            return;
        }
        if (!ask.awaitsAnswer()) {
            if (channel().outbound().isEmpty()) {
                ask.complete();
            } else {
                sending.add(ask);
            }
        }
    }

    /** Two looks at the clock for each request would be felt where an answer takes less than a microsecond. */
    private static boolean isSampled(int number) {
        return (number & 0xf) == 1;
    }

    private int freeNumber() {
        do {
            latest++;
        } while (latest == 0 || outstanding.has(latest) || late.has(latest));
        return latest;
    }

    /** The asker has cancelled. */
    void abandon(Ask ask) {
        if (ask.number != 0 && outstanding.remove(ask.number) != null) {
            if (ask.seesLateAnswer()) {
                late.put(ask.number, ask);
            }
            channel().outbound().abort(ask.number);
        } else {
            waiting.remove(ask);
        }
    }

    @Override
    public void accepted() {
        open = true;
        room();
    }

    @Override
    public void refused(Throwable reason) {
        failAll(reason);
    }

    @Override
    public void room() {
        if (!open) {
            return;
        }
        if (channel().outbound().isEmpty()) {
            for (Ask each; (each = sending.poll()) != null; ) {
                each.complete();
            }
        }
        while (!waiting.isEmpty() && hasRoom()) {
            send(waiting.remove());
        }
        if (!waiting.isEmpty()) {
            channel().outbound().hasMore();
        }
    }

    @Override
    public boolean isInPlace() {
        return true;
    }

    @Override
    public boolean takesContent() {
        return takesContent;
    }

    @Override
    public void content(Frame frame) {
        int number = frame.aux();
        Ask ask = (frame.flags() & ANSWERED) == Flags.ANSWER ? outstanding.get(number) : null;
        if (ask == null || !ask.takesContent()) {
            message(Message.of(frame.body()), frame.flags(), number);
            return;
        }
        var unused = outstanding.remove(number);
        if (isSampled(number)) {
            session.answeredSince(ask.sentAt);
        }
        ask.content(frame);
    }

    @Override
    public void message(Message message, int flags, int number) {
        boolean answers = (flags & Flags.ANSWER) != 0;
        Ask ask = answers ? outstanding.remove(number) : null;
        if (ask != null && isSampled(number)) {
            session.answeredSince(ask.sentAt);
        }
        if (ask == null) {
            try {
                if (answers) {
                    late(message, flags, number);
                }
            } finally {
                message.release();
            }
        } else if ((flags & Flags.FAILED) != 0) {
            String text = message.text();
            message.release();
            ask.fail(
                    (flags & Flags.EMPTY) != 0
                            ? notBegun(flags, session.peerId() + ": " + text)
                            : new RemoteFailure(
                                    session.peerId() + " failed to answer on port '" + port + "': " + text));
        } else if ((flags & Flags.EMPTY) != 0) {
            message.release();
            ask.complete();
        } else {
            takesContent = ask.takesContent();
            ask.answer(message);
        }
    }

    private static WeirException notBegun(int flags, String text) {
        return (flags & Flags.ELSEWHERE) != 0 ? new PeerUnavailable(text) : new Refused(text);
    }

    /** The peer is going to leave: it gets nothing that it has not got yet. */
    void peerLeaves(Supplier<? extends WeirException> reason) {
        for (Ask each; (each = waiting.poll()) != null; ) {
            each.fail(reason.get());
        }
    }

    @Override
    public boolean idle() {
        return outstanding.isEmpty() && waiting.isEmpty() && sending.isEmpty();
    }

    private void late(Message message, int flags, int number) {
        Ask ask = late.remove(number);
        if (ask != null && (flags & (Flags.FAILED | Flags.EMPTY)) == 0) {
            ask.lateAnswer(message);
        }
    }

    /** What the channel drops is at the end of what it has taken. */
    @Override
    public void unsent(int number) {
        Ask ask = number == 0 ? sending.pollLast() : outstanding.remove(number);
        if (ask != null) {
            waiting.add(ask);
        }
    }

    private void failAll(Throwable reason) {
        if (failure != null) {
            return;
        }
        failure = reason;
        List<Ask> all = outstanding.copy();
        all.addAll(sending);
        List<Ask> unsent = new ArrayList<>(waiting);
        outstanding.clear();
        late.clear();
        sending.clear();
        waiting.clear();
        all.forEach(each -> each.fail(reason));
        Throwable nothingSent = Errors.unsent(reason);
        unsent.forEach(each -> each.fail(nothingSent));
    }

    @Override
    public void ended() {
        gone();
    }

    @Override
    public void cancelled() {
        gone();
    }

    private void gone() {
        failAll(new Refused(session.peerId() + " no longer serves port '" + port + "'"));
        channel().outbound().end(false);
        channel().cancelInbound();
    }

    @Override
    public void failed(Throwable error) {
        failAll(error);
    }
}
