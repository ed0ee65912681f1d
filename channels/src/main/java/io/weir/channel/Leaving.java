package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.FrameKind;
import io.weir.core.Loop;
import io.weir.core.PeerId;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.path.Flags;
import io.weir.path.LastingLink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * How a session is left from here: the peer is informed, what is under way is waited for, and a goodbye goes over the
 * link behind it. Any thread may call what returns a {@link Mono}; the rest belongs to the loop.
 */
final class Leaving {

    /** The session that is left. */
    interface Side {

        boolean hasEnded();

        /** Runs the task on the loop: now if the caller is on it. */
        void execute(Runnable task);

        /** Ends it, with or without its link. */
        void end(WeirException reason, boolean closeLink);
    }

    /** How often closing looks whether everything has been sent. */
    private static final Duration LOOK = Duration.ofMillis(5);

    /** How long a goodbye waits for room on the link: a peer that reads makes some in far less. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final Side session;
    private final PeerId peer;
    private final Outbox outbox;
    private final Loop loop;
    private final LastingLink link;
    private final List<Confirmation> confirming = new ArrayList<>(0);
    /** Who waits until a condition holds, or the session is over. */
    private final Set<MonoSink<Void>> awaiting = ConcurrentHashMap.newKeySet();
    /** Questions so far whether the peer has had everything. */
    private int confirmations;
    /** The latest of these questions that the peer has answered. */
    private int confirmed;

    /** The goodbye that waits for room on the link; null if there is none. */
    private @Nullable String farewell;

    private Runnable onLeft = () -> {};
    private Disposable farewellLimit = Disposables.disposed();

    Leaving(Side session, PeerId peer, Loop loop, LastingLink link, Outbox outbox) {
        this.session = session;
        this.peer = peer;
        this.loop = loop;
        this.link = link;
        this.outbox = outbox;
    }

    /**
     * Informs the peer that our node is going to leave. Completes when it begins nothing more here, or has not answered
     * for a while.
     */
    Mono<Void> inform() {
        return Mono.create(sink -> session.execute(() -> new Confirmation(sink, Flags.LEAVES).begin()));
    }

    /** Says goodbye and ends; if its link is just lost or left, as soon as what was under way goes on. */
    Mono<Void> leave(String reason) {
        return await(() -> link.isClear() || link.isForsaken(), FAREWELL)
                .then(Mono.<Void>create(sink -> session.execute(() -> new Confirmation(sink, 0).begin())))
                .then(Mono.create(sink -> session.execute(() -> leave(reason, sink::success))));
    }

    /** Completes when the condition holds, the limit has passed, or the session has ended. */
    Mono<Void> await(BooleanSupplier condition, Duration limit) {
        return Mono.<Void>create(sink -> {
            Disposable.Swap nextLook = Disposables.swap();
            Disposable.Swap end = Disposables.swap();
            sink.onDispose(Disposables.composite(nextLook, end, () -> awaiting.remove(sink)));
            session.execute(() -> {
                if (!session.hasEnded() && !limit.isZero()) {
                    awaiting.add(sink);
                    var unused = end.replace(loop.schedule(sink::success, limit));
                    look(condition, sink, nextLook);
                } else {
                    sink.success();
                }
            });
        });
    }

    private void look(BooleanSupplier condition, MonoSink<Void> sink, Disposable.Swap nextLook) {
        if (session.hasEnded() || condition.getAsBoolean()) {
            sink.success();
        } else {
            nextLook.replace(loop.schedule(() -> look(condition, sink, nextLook), LOOK));
        }
    }

    /** Ends, and says goodbye as soon as the link has room: what was handed to it before is still delivered. */
    private void leave(String reason, Runnable left) {
        if (session.hasEnded()) {
            Runnable first = onLeft;
            onLeft = () -> {
                first.run();
                left.run();
            };
            if (farewell == null) {
                over();
            }
            return;
        }
        farewell = reason;
        onLeft = left;
        session.end(new SessionLost("the connection to " + peer + " was closed here: " + reason), false);
        farewellLimit = loop.schedule(this::closeLink, FAREWELL);
        writable();
    }

    /** The session has ended, and the link has room: perhaps for a goodbye that waits. */
    void writable() {
        if (farewell != null && (link.isForsaken() || sayGoodbye(farewell))) {
            closeLink();
        }
    }

    boolean sayGoodbye(String reason) {
        ByteBuf text = Unpooled.wrappedBuffer(reason.getBytes(StandardCharsets.UTF_8));
        boolean said =
                link.goodbye(outbox.frame().set(FrameKind.GOODBYE, 0, 0, 0).body(text));
        if (!said) {
            text.release();
        }
        return said;
    }

    void closeLink() {
        link.close();
        over();
    }

    /** The link is closed or lost: whoever waits for the end hears of it. */
    void over() {
        farewell = null;
        farewellLimit.dispose();
        Runnable waiter = onLeft;
        onLeft = () -> {};
        waiter.run();
    }

    /** The peer has had everything that was sent before the question of this number. */
    void confirmed(int number) {
        confirmed = Math.max(confirmed, number);
    }

    /** The loop may end with the session, and look no more. */
    void sessionEnded() {
        List.copyOf(confirming).forEach(Confirmation::end);
        List.copyOf(awaiting).forEach(MonoSink::success);
    }

    /**
     * Waits until the peer has had everything that was sent so far, as it may just have lost the link over which that
     * went, and who has ended the session does not hear of it.
     */
    private final class Confirmation {

        /** Should there have been no room for the answer. */
        private static final int LOOKS_PER_QUESTION = 20;

        private final MonoSink<Void> sink;
        private final int flags;
        private final int number = ++confirmations;
        private Disposable limit = Disposables.disposed();
        private Disposable nextLook = Disposables.disposed();
        private boolean asked;
        private int looks;

        /** @param flags of the question: what else it says, 0 for nothing */
        Confirmation(MonoSink<Void> sink, int flags) {
            this.sink = sink;
            this.flags = flags;
        }

        void begin() {
            if (session.hasEnded() || (flags == 0 && !link.mayBeLostUnseen())) {
                sink.success();
                return;
            }
            confirming.add(this);
            limit = loop.schedule(this::end, FAREWELL);
            look();
        }

        private void look() {
            if (session.hasEnded() || confirmed >= number || link.isForsaken()) {
                end();
                return;
            }
            if (!asked || looks++ % LOOKS_PER_QUESTION == 0) {
                asked = outbox.offer(outbox.frame().set(FrameKind.PING, flags, 0, number));
            }
            nextLook = loop.schedule(this::look, LOOK);
        }

        private void end() {
            confirming.remove(this);
            limit.dispose();
            nextLook.dispose();
            sink.success();
        }
    }
}
