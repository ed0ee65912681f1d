package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.ContentMemory;
import io.weir.core.ControlData;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryStats;
import io.weir.memory.MemoryUse;
import io.weir.path.Flags;
import io.weir.path.LastingLink;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A session, what its user does with it, and a peer that does what a program says. Each instruction has four bytes:
 * what is done, and three arguments. The peer's own instructions keep the rules of docs/wire.md; {@link Step#RAW} keeps
 * none, and has two bytes more.
 */
final class SessionProgram {

    /** What an instruction does. The order is that of the seeds' bytes: new ones go to the end. */
    enum Step {
        OPEN,
        DATA,
        FIRST,
        NEXT,
        END,
        CANCEL,
        ERROR,
        CREDIT,
        WANT,
        DELIVERED,
        ABORT,
        ACCEPT,
        PING,
        PONG,
        GOODBYE,
        RAW,
        ANSWER_ITS,
        TURN,
        TIME,
        ROOM,
        HABIT,
        REQUEST,
        STOP,
        EMIT,
        SOURCE_ENDS,
        ANSWER,
        ASK,
        TELL,
        CHANNEL,
        STREAM,
        CLOSE,
        DROP,
        CONSUME,
        WORK_ENDS,
        UNSERVE,
        BOX,
        TAKE,
        LEAVE,
        LOSE,
        OTHERS,
        GRANT_ALL
    }

    /**
     * The first byte of a program: bits 0 and 1 choose the specification, 2 who has connected, 3 to 5 the end. The
     * second one: bits 0 and 1 choose how much memory there is, 2 whether others share it with this peer.
     */
    static final int PREFIX = 2;

    static final List<String> PORTS = List.of(
            "read", "keep", "echo", "send", "both", "ask", "box", "take", "nobody", "bad\n\u0007\u202eport", "");

    private static final List<NodeSpec> SPECS = List.of(
            spec(16, 16, 64 << 10, 256 << 10, 8),
            spec(2, 1, 64 << 10, 100 << 10, 3),
            spec(64, 0, 128 << 10, 64 << 10, 64),
            spec(1024, 256, 4 << 20, 1 << 20, 256));

    private static final long[] TOTALS = {256L << 20, 16L << 20, 32L << 20, 20L << 20};

    private static final long[] NUMBERS = {
        0,
        1,
        2,
        3,
        5,
        16,
        100,
        1000,
        4096,
        10_000,
        32_768,
        65_535,
        65_536,
        65_537,
        100_000,
        150_000,
        262_144,
        300_000,
        1 << 20,
        1 << 30,
        Integer.MAX_VALUE,
        1L << 32,
        (1L << 62) - 1,
        1L << 62,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        -1,
        -2,
        Integer.MIN_VALUE,
        Long.MIN_VALUE
    };

    private static final int[] LENGTHS = {0, 1, 2, 7, 8, 100, 255, 256, 1000, 4096, 8192, 16_384, 20_000, 32_000};

    private static final byte[] CONTENT = content();
    private static final int MOST_STEPS = 400;

    /** How far the numbers of its channels may be ahead of what it has said. */
    private static final int MOST_UNTOLD = 4 * MOST_STEPS;

    private static final PeerId PEER = new PeerId(new UUID(1, 2), "peer", 1);

    private static NodeSpec spec(int items, int initial, long bytes, int maxMessage, int channels) {
        return NodeSpec.builder()
                .windowItems(items)
                .initialItems(initial)
                .windowBytes(bytes)
                .maxMessage(maxMessage)
                .nodeBytes(64 << 20)
                .maxChannels(channels)
                .build();
    }

    private static byte[] content() {
        byte[] bytes = new byte[2 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8));
        }
        return bytes;
    }

    private final byte[] code;
    private int at;

    private final NodeSpec spec;
    private final TestLoop loop = new TestLoop();
    private final WirePeer wire = new WirePeer(loop);
    private final MemoryAccount account;
    private final MemoryAccount.Share others;
    private long othersTaken;
    private long othersLent;
    private final long total;
    private final Ports ports;
    private final Session session;
    private final Peer peer;
    private final boolean connecting;
    private final int ending;
    private int endsReported;
    private int latestOurs;
    private int unanswered;

    /** All bodies there have been, to see that each one is released. */
    private final List<ByteBuf> bodies = new ArrayList<>();

    private final List<Signals<Message>> readers = new ArrayList<>();
    private final List<Signals<?>> waiters = new ArrayList<>();
    private final List<Signals<Received>> boxReaders = new ArrayList<>();
    private final List<Signals<Channel>> takers = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final List<Sinks.One<Message>> answers = new ArrayList<>();
    private final List<Sinks.Empty<Void>> works = new ArrayList<>();
    private final List<Received> received = new ArrayList<>();
    private final List<Disposable> served = new ArrayList<>();
    private final Mailbox mailbox;
    private int habit;
    private int messages;
    private @Nullable String wrong;
    private final long pinnedBefore;

    SessionProgram(byte[] code) {
        this.code = code;
        int first = next();
        int second = next();
        spec = SPECS.get(first & 3);
        connecting = (first & 4) != 0;
        ending = first >> 3 & 7;
        total = TOTALS[second & 3];
        pinnedBefore = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
        account = new MemoryAccount(total, total / 4);
        others = account.share((second & 4) == 0 ? "others" : "peer");
        ports = new Ports(spec);
        mailbox = new Mailbox("box", 16, loop).open(ports);
        servePorts();
        peer = new ConnectedPeer(PEER, new PathDecision(PEER, List.of(), Instant.EPOCH, "", ""), ports);
        MemoryAccount.Share share = account.share("peer");
        LastingLink link = new LastingLink(loop, wire, PEER, peer.identity(), spec.timeouts(), share);
        session = new Session(spec, ports, share, loop, link, peer, connecting, ended -> endsReported++);
        peer.session(session);
        session.begin();
        latestOurs = connecting ? 0 : -1;
        Logged.begin();
    }

    // What the node serves.

    private void servePorts() {
        serve("read", new ServeHandler(ports, channel -> {
            reader(channel, channel.receive(), "reader");
            return work();
        }));
        serve("keep", new ServeHandler(ports, channel -> {
            reader(channel, channel.receiveKept(4), "keeper");
            return work();
        }));
        serve("echo", new ServeHandler(ports, channel -> channel.send(channel.receive())));
        serve("send", new ServeHandler(ports, channel -> channel.send(source())));
        serve("both", new ServeHandler(ports, channel -> {
            reader(channel, channel.receive(2), "reader of both");
            return habit % 2 == 0 ? channel.sendDelivered(source()) : channel.send(source());
        }));
        serve("ask", new AnswerHandler(ports, (from, message) -> answer(message)));
        served.add(AcceptHandler.flux(ports, "take").subscribe(channel -> {}));
        served.get(served.size() - 1).dispose();
        Signals<Channel> taker =
                new Signals<>("taker", this::isWrong, channel -> reader(channel, channel.receive(), "taken"));
        AcceptHandler.flux(ports, "take").subscribe(taker);
        takers.add(taker);
        boxReader(received -> true);
        boxReader(received -> received.message().size() % 2 == 1);
    }

    private void serve(String port, PortHandler handler) {
        served.add(ports.serve(port, handler));
    }

    private void boxReader(Match match) {
        Signals<Received> reader = new Signals<>("reader of the mailbox", this::isWrong, received::add);
        mailbox.matching(match).subscribe(reader);
        boxReaders.add(reader);
    }

    private Mono<Void> work() {
        Sinks.Empty<Void> work = Sinks.empty();
        works.add(work);
        return work.asMono();
    }

    private Source source() {
        Source source = new Source(this::isWrong);
        sources.add(source);
        return source;
    }

    private void reader(Channel channel, Flux<Message> messages, String name) {
        List<Signals<Message>> self = new ArrayList<>(1);
        int its = habit;
        Signals<Message> reader =
                new Signals<>(name, this::isWrong, message -> takes(self.get(0), channel, message, its));
        self.add(reader);
        reader.channel = channel;
        readers.add(reader);
        messages.subscribe(reader);
        if ((its & 8) != 0) {
            reader.request(1);
        }
    }

    /** All messages come, in their order and as they were sent. */
    private void checkContent(Signals<Message> reader, Channel channel, Message message) {
        WirePeer.Seen seen = wire.channels.get(channel.number());
        if (wire.broken || seen == null) {
            return;
        }
        int place = reader.got - 1;
        reader.check(
                place < seen.sent.size() && seen.sent.get(place).equals(WirePeer.Whole.of(message)),
                "message " + place + " of " + seen + ", which was not sent like this: " + message);
    }

    /** What a program may do with a message, as its habit is. */
    private void takes(Signals<Message> reader, Channel channel, Message message, int its) {
        reader.check(message.refCnt() > 0, "a message that is released already");
        checkContent(reader, channel, message);
        if (reader.toString().equals("keeper") && (its & 7) != 4) {
            reader.kept.add(message);
        } else {
            channel.consumed(message.payload().readableBytes());
            message.release();
        }
        switch (its & 7) {
            case 1 -> reader.request(1);
            case 2 -> reader.cancel();
            case 3 -> throw new IllegalArgumentException("a subscriber that fails");
            case 5 -> wait(channel.close());
            case 6 -> session.abandon(new SessionLost("a subscriber ends the session"));
            case 7 -> sources.forEach(source -> source.emit(1, i -> message(100)));
            default -> {
                // It does nothing else.
            }
        }
    }

    private Publisher<Message> answer(Message request) {
        int what = request.size() == 0
                ? 0
                : request.payload().getByte(request.payload().readerIndex()) & 0xf;
        request.release();
        return switch (what) {
            case 0, 1 -> Mono.just(message(what));
            case 2 -> Mono.empty();
            case 3 -> Mono.error(new IllegalArgumentException("the handler fails\n"));
            case 4 -> Mono.error(new Refused("not for you"));
            case 5 -> throw new IllegalArgumentException("a handler that throws");
            case 6 -> Mono.just(message(40_000));
            case 7 -> Flux.range(3, 2).map(this::message);
            case 8 -> Mono.fromCallable(() -> message(200));
            case 9 -> Mono.just(message(150_000));
            default -> {
                Sinks.One<Message> answer = Sinks.one();
                answers.add(answer);
                yield answer.asMono();
            }
        };
    }

    private void wait(Mono<?> mono) {
        Signals<Object> waiter = new Signals<>("waiter", this::isWrong, Signals::release);
        waiters.add(waiter);
        mono.cast(Object.class).subscribe(waiter);
        waiter.request(Long.MAX_VALUE);
    }

    private void isWrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    // The program.

    private int next() {
        return at < code.length ? code[at++] & 0xff : 0;
    }

    void run() {
        for (int steps = 0; steps < MOST_STEPS && at < code.length; steps++) {
            int what = next();
            Step step = Step.values()[(what & 0x7f) % Step.values().length];
            int a = next();
            int b = next();
            int c = next();
            Trace.line(() -> step + " " + a + ' ' + b + ' ' + c);
            step(step, a, b, c);
            if ((what & 0x80) == 0) {
                loop.turn();
            }
            check();
        }
        finish();
    }

    private static <E> @Nullable E pick(List<E> from, int index) {
        return from.isEmpty() ? null : from.get(index % from.size());
    }

    private static long number(int index) {
        return NUMBERS[index % NUMBERS.length];
    }

    private static int length(int index) {
        return LENGTHS[index % LENGTHS.length];
    }

    private ByteBuf body(int length) {
        if (length == 0) {
            return Unpooled.EMPTY_BUFFER;
        }
        ByteBuf body = Unpooled.wrappedBuffer(CONTENT, messages++ % 1000, length);
        bodies.add(body);
        return body;
    }

    private ByteBuf text(String text) {
        ByteBuf body = Unpooled.copiedBuffer(text, UTF_8);
        if (body.isReadable()) {
            bodies.add(body);
        }
        return body;
    }

    private Message message(int length) {
        return Message.of(body(length));
    }

    private void step(Step step, int a, int b, int c) {
        WirePeer.Seen seen = pick(wire.open, a);
        switch (step) {
            case OPEN -> open(a, b, c);
            case DATA,
                    FIRST,
                    NEXT,
                    END,
                    CANCEL,
                    ERROR,
                    CREDIT,
                    WANT,
                    DELIVERED,
                    ABORT,
                    ACCEPT,
                    ANSWER_ITS,
                    GRANT_ALL -> {
                if (seen != null) {
                    says(step, seen, b, c);
                    wire.forget(seen);
                }
            }
            case PING -> say(FrameKind.PING, b & Flags.LEAVES, 0, a, 0, 0, Unpooled.EMPTY_BUFFER);
            case PONG -> say(FrameKind.PONG, 0, 0, b == 0 ? -1 - a : a, 0, 0, Unpooled.EMPTY_BUFFER);
            case GOODBYE -> say(FrameKind.GOODBYE, 0, 0, 0, 0, 0, text("enough\n\u0000"));
            case RAW -> raw(a, b, c);
            case TURN -> {
                for (int i = 0; i <= (a & 7); i++) {
                    loop.turn();
                }
            }
            case TIME -> loop.advance(Duration.ofMillis(a * 50L + (b & 3) * 10_000L));
            case ROOM -> wire.room = (a & 7) == 7 ? -1 : a & 7;
            case HABIT -> habit = a;
            default -> locally(step, a, b, c);
        }
    }

    private void locally(Step step, int a, int b, int c) {
        switch (step) {
            case REQUEST -> request(pick(readers, a), b);
            case STOP -> cancel(pick(readers, a));
            case EMIT -> {
                Source source = pick(sources, a);
                if (source != null) {
                    source.emit(1 + (b & 15), i -> message(c >= 250 ? 150_000 : length(c)));
                }
            }
            case SOURCE_ENDS -> {
                Source source = pick(sources, a);
                if (source != null) {
                    source.end(b % 3 == 0 ? new IllegalArgumentException("a source that fails") : null);
                }
            }
            case ANSWER -> answers(pick(answers, a), b, c);
            case ASK -> wait(peer.ask(port(a), message(b >= 250 ? 100_000 : length(b))));
            case TELL -> wait(peer.tell(port(a), message(length(b))));
            case CHANNEL -> {
                Signals<Channel> waiter = new Signals<>("opener", this::isWrong, channel -> {
                    if ((b & 1) != 0) {
                        reader(channel, channel.receive(), "reader of ours");
                    }
                    if ((b & 2) != 0) {
                        wait((b & 4) != 0 ? channel.sendDelivered(source()) : channel.send(source()));
                    }
                });
                waiters.add(waiter);
                peer.channel(port(a)).subscribe(waiter);
                waiter.request(Long.MAX_VALUE);
            }
            case STREAM -> {
                Signals<Message> reader = new Signals<>("reader of a stream", this::isWrong, Signals::release);
                readers.add(reader);
                if ((b & 1) == 0) {
                    peer.stream(port(a), message(length(c))).subscribe(reader);
                } else {
                    peer.exchange(port(a), Flux.from(source())).subscribe(reader);
                }
                reader.request(b >> 1);
            }
            case CLOSE -> {
                Signals<Message> reader = pick(readers, a);
                if (reader != null && reader.channel != null) {
                    wait(reader.channel.close());
                }
            }
            case DROP -> {
                Signals<?> waiter = pick(waiters, a);
                if (waiter != null) {
                    waiter.cancel();
                }
            }
            case CONSUME -> consume(pick(readers, a), 1 + (b & 3));
            case WORK_ENDS -> {
                Sinks.Empty<Void> work = pick(works, a);
                if (work != null) {
                    var unused = b % 3 == 0
                            ? work.tryEmitError(new IllegalArgumentException("a handler that fails later"))
                            : work.tryEmitEmpty();
                }
            }
            case UNSERVE -> Objects.requireNonNull(pick(served, a)).dispose();
            case BOX -> box(a, b, c);
            case TAKE -> request(pick(takers, a), b);
            case LEAVE -> {
                if ((a & 1) == 0) {
                    wait(peer.close());
                } else {
                    ports.leave();
                }
            }
            case LOSE -> wire.lose("the line is cut");
            case OTHERS -> others(a, b);
            default -> throw new AssertionError(step);
        }
    }

    private static String port(int index) {
        // A port name of our own is not empty.
        return PORTS.get(index % (PORTS.size() - 1));
    }

    private static void request(@Nullable Signals<?> reader, int b) {
        if (reader != null && !reader.over()) {
            reader.request(b == 255 ? Long.MAX_VALUE : 1 + b % 20);
        }
    }

    private static void cancel(@Nullable Signals<?> reader) {
        if (reader != null) {
            reader.cancel();
        }
    }

    private static void consume(@Nullable Signals<Message> reader, int most) {
        for (int i = 0; reader != null && i < most && !reader.kept.isEmpty(); i++) {
            Message message = reader.kept.remove();
            int bytes = message.payload().readableBytes();
            message.release();
            Objects.requireNonNull(reader.channel).consumed(bytes);
        }
    }

    private void answers(Sinks.@Nullable One<Message> answer, int b, int c) {
        if (answer == null || answer.currentSubscriberCount() == 0) {
            return;
        }
        if (b % 4 == 0) {
            var unused = answer.tryEmitError(new IllegalStateException("no answer"));
        } else if (b % 4 == 1) {
            var unused = answer.tryEmitEmpty();
        } else {
            Message message = message(c >= 250 ? 150_000 : length(c));
            if (answer.tryEmitValue(message).isFailure()) {
                message.release();
            }
        }
    }

    private void box(int a, int b, int c) {
        switch (a & 3) {
            case 0 -> request(pick(boxReaders, b), c);
            case 1 -> {
                Received one = received.isEmpty() ? null : received.remove(b % received.size());
                if (one != null && one.awaitsAnswer() && (c & 1) == 0) {
                    wait((c & 2) == 0 ? one.answer(message(length(c >> 2))) : one.refuse("no"));
                } else if (one != null) {
                    one.release();
                }
            }
            case 2 -> cancel(pick(boxReaders, b));
            default -> {
                if ((b & 7) == 7) {
                    mailbox.dispose();
                } else {
                    boxReader(each -> each.message().size() % 3 == c % 3);
                }
            }
        }
    }

    /** What other peers take of the node's memory, or are lent of it, or give back. */
    private void others(int a, int b) {
        switch (a & 3) {
            case 0 -> {
                long bytes = Math.min(total / 2 - othersTaken, (long) b << 16);
                if (bytes > 0 && others.tryTake(MemoryUse.WINDOWS, bytes)) {
                    othersTaken += bytes;
                }
            }
            case 1 -> {
                long bytes = Math.min(total / 4 - othersLent, (long) b << 18);
                if (bytes > 0) {
                    others.lendAnyway(bytes);
                    othersLent += bytes;
                }
            }
            case 2 -> {
                others.giveBackLease(othersLent);
                othersLent = 0;
            }
            default -> {
                others.give(MemoryUse.WINDOWS, othersTaken);
                othersTaken = 0;
            }
        }
    }

    // What the peer says.

    private void open(int a, int b, int c) {
        int number = latestOurs + 2 * (1 + (a >> 5));
        if (unanswered >= spec.limits().channels() || session.hasEnded()) {
            return;
        }
        latestOurs = number;
        String port = PORTS.get(a % PORTS.size());
        boolean requests = (b & 1) == 0 ? port.equals("ask") : (b & 2) != 0;
        WirePeer.Seen seen = new WirePeer.Seen(number, true, port, requests);
        seen.itsItems = c & 15;
        seen.itsBytes = (c >> 4) * 5000L;
        wire.channels.put(number, seen);
        wire.open.add(seen);
        say(FrameKind.OPEN, requests ? Flags.REQUESTS : 0, number, 0, seen.itsItems, seen.itsBytes, text(port));
    }

    private void says(Step step, WirePeer.Seen seen, int b, int c) {
        int number = seen.number;
        switch (step) {
            case DATA -> data(seen, b, c);
            case FIRST -> first(seen, b, c);
            case NEXT -> {
                if (seen.left > 0) {
                    int piece = (int) Math.min(seen.left, b >= 128 ? WirePeer.MAX_FRAME : 1 + length(b));
                    seen.left -= piece;
                    ByteBuf body = body(piece);
                    if (seen.left == 0) {
                        seen.sent.add(new WirePeer.Whole(seen.total, seen.first, body.getByte(piece - 1), false));
                    }
                    say(FrameKind.NEXT, 0, number, 0, 0, 0, body);
                }
            }
            case END -> {
                if (!seen.weEnded && seen.left == 0) {
                    seen.weEnded = true;
                    seen.weAskDelivered = (b & Flags.CONFIRM) != 0;
                    say(FrameKind.END, b & Flags.CONFIRM, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
                }
            }
            case CANCEL -> say(FrameKind.CANCEL, 0, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
            case ERROR -> {
                if (!seen.weFailed && !seen.weEnded) {
                    seen.weFailed = true;
                    seen.weEnded = true;
                    seen.left = 0;
                    // What either awaits is void.
                    seen.itAsksDelivered = false;
                    say(FrameKind.ERROR, 0, number, b % 9, 0, 0, text("because\n\u001b[2J" + c));
                }
            }
            case CREDIT -> credit(seen, b % 20, b == 255 ? 1L << 30 : c * 1000L);
            case GRANT_ALL -> credit(seen, 1 << 20, 1L << 32);
            case WANT -> {
                // Who has no item yet has nothing to want.
                if (seen.accepted || !seen.ours) {
                    say(FrameKind.WANT, 0, number, 0, Math.max(0, number(b)), 0, Unpooled.EMPTY_BUFFER);
                }
            }
            case DELIVERED -> {
                seen.itAsksDelivered = false;
                say(FrameKind.DELIVERED, 0, number, 0, 0, 0, Unpooled.EMPTY_BUFFER);
            }
            case ABORT -> say(FrameKind.ABORT, 0, number, 1 + b % 8, 0, 0, Unpooled.EMPTY_BUFFER);
            case ACCEPT -> {
                if (!seen.ours && !seen.accepted && !seen.weEnded) {
                    seen.accepted = true;
                    seen.itsItems += b & 31;
                    seen.itsBytes += c * 1000L;
                    say(FrameKind.ACCEPT, 0, number, 0, b & 31, c * 1000L, Unpooled.EMPTY_BUFFER);
                }
            }
            case ANSWER_ITS -> {
                if (!seen.itAsked.isEmpty() && mayBegin(seen, length(c))) {
                    int request = seen.itAsked.remove(b % seen.itAsked.size());
                    paid(seen, length(c));
                    say(FrameKind.DATA, Flags.ANSWER | (b >> 4), number, request, 0, 0, body(length(c)));
                }
            }
            default -> throw new AssertionError(step);
        }
    }

    private void credit(WirePeer.Seen seen, long items, long bytes) {
        if (seen.accepted || seen.ours) {
            seen.itsItems += items;
            seen.itsBytes += bytes;
            say(FrameKind.CREDIT, 0, seen.number, 0, items, bytes, Unpooled.EMPTY_BUFFER);
        }
    }

    private static boolean mayBegin(WirePeer.Seen seen, long cost) {
        return !seen.weEnded && seen.left == 0 && seen.items > 0 && seen.bytes >= cost;
    }

    private static void paid(WirePeer.Seen seen, long cost) {
        seen.items--;
        seen.bytes -= cost;
    }

    /** The number of a request that this message is; 0: it is none. */
    private static int request(WirePeer.Seen seen, int b) {
        int number = 1 + b % 8;
        if (!seen.ours
                || (b & 0x40) != 0
                || !(seen.requests || seen.port.equals("box"))
                || seen.asked.contains(number)) {
            return 0;
        }
        return number;
    }

    private void data(WirePeer.Seen seen, int b, int c) {
        byte[] control = (c & 0x80) != 0 ? ControlData.of("key", "value" + c).encoded() : new byte[0];
        int length = length(c & 0x7f);
        if (!mayBegin(seen, length + (long) control.length)) {
            return;
        }
        paid(seen, length + (long) control.length);
        int request = request(seen, b);
        if (request != 0) {
            seen.asked.add(request);
        }
        int flags = request == 0 ? 0 : Flags.REQUEST;
        if ((b & 0x80) != 0 && control.length == 0) {
            // As a path does that has copied what came, and keeps it.
            ContentMemory memory = new ContentMemory(length);
            seen.sent.add(new WirePeer.Whole(length, 0, 0, false));
            deliver(wire.frame()
                    .set(FrameKind.DATA, flags, seen.number, request)
                    .lend(memory, length));
            return;
        }
        ByteBuf body = body(length);
        seen.sent.add(WirePeer.Whole.of(body, control.length > 0));
        deliver(wire.frame()
                .set(FrameKind.DATA, flags, seen.number, request, body)
                .control(control));
    }

    private void first(WirePeer.Seen seen, int b, int c) {
        long length = Math.max(1, Math.min(number(c) & Integer.MAX_VALUE, seen.bytes));
        if (!mayBegin(seen, length)) {
            return;
        }
        paid(seen, length);
        int request = request(seen, b);
        if (request != 0) {
            seen.asked.add(request);
        }
        int piece = (int) Math.min(length, (b & 0x80) != 0 ? WirePeer.MAX_FRAME : 1 + length(b));
        seen.left = length - piece;
        ByteBuf body = body(piece);
        seen.first = body.getByte(0);
        seen.total = (int) length;
        if (seen.left == 0) {
            seen.sent.add(new WirePeer.Whole(piece, seen.first, body.getByte(piece - 1), false));
        }
        int flags = request == 0 ? 0 : Flags.REQUEST;
        say(FrameKind.FIRST, flags, seen.number, request, length, 0, body);
    }

    /** Whatever it is. */
    private void raw(int a, int b, int c) {
        int d = next();
        int e = next();
        FrameKind kind = FrameKind.values()[a % FrameKind.values().length];
        WirePeer.Seen seen = pick(wire.open, b & 7);
        int channel = switch (b >> 3 & 7) {
            case 0 -> 0;
            case 1 -> latestOurs + 2;
            case 2 -> wire.latestIts;
            case 3 -> (int) number(c);
            default -> seen == null ? latestOurs : seen.number;
        };
        byte[] control = switch (b >> 6) {
            case 1 -> new byte[] {3, 'k', 'e'};
            case 2 -> ControlData.of("key\n", "value\u0000").encoded();
            default -> new byte[0];
        };
        long first = number(c);
        long second = number(d);
        Frame frame = wire.frame()
                .set(kind, e & 15, channel, d, body(length(e >> 4)))
                .words(first, second)
                .control(control);
        wire.broken = true;
        boolean breach = mustBreach(frame);
        boolean before = session.hasEnded();
        deliver(frame);
        if (!before && breach) {
            assertThat(session.endedWith())
                    .as("the end that a breach by %s leads to", frame)
                    .isInstanceOf(ProtocolMismatch.class);
        }
    }

    /** Whether docs/wire.md leaves no doubt. */
    private boolean mustBreach(Frame frame) {
        int number = frame.channel();
        Channel channel = session.channels().find(number);
        return switch (frame.kind()) {
            case PING, PONG, GOODBYE -> false;
            case OPEN -> {
                int step = number - latestOurs;
                yield (number & 1) != (latestOurs & 1)
                        || step <= 0
                        || step > 1 << 24
                        || frame.body().readableBytes() > 255;
            }
            case DATA, FIRST, NEXT -> {
                long cost = (frame.kind() == FrameKind.FIRST
                                ? frame.first()
                                : frame.body().readableBytes())
                        + frame.control().length;
                if (channel == null) {
                    yield true;
                }
                Inbound in = channel.inbound();
                yield !in.over()
                        && (frame.kind() == FrameKind.NEXT
                                ? !in.arriving()
                                : in.arriving()
                                        || in.window().outstanding() == 0
                                        || cost > in.window().granted()
                                        || (frame.kind() == FrameKind.FIRST && frame.first() < 1));
            }
            case END ->
                channel == null
                        ? !known(number)
                        : channel.inbound().ended() || channel.inbound().arriving();
            case WANT -> channel == null ? !known(number) : frame.first() < 0;
            case CREDIT -> channel == null ? !known(number) : frame.first() < 0 || frame.second() < 0;
            case ACCEPT, CANCEL, ERROR, DELIVERED, ABORT -> channel == null && !known(number);
            default -> true;
        };
    }

    private boolean known(int number) {
        if (number == 0) {
            return false;
        }
        // Numbers that were left out count as used. It may have used some of which it has not told.
        return number - ((number & 1) == (latestOurs & 1) ? latestOurs : wire.latestIts + MOST_UNTOLD) <= 0;
    }

    private void say(FrameKind kind, int flags, int channel, int aux, long first, long second, ByteBuf body) {
        deliver(wire.frame().set(kind, flags, channel, aux, body).words(first, second));
    }

    private void deliver(Frame frame) {
        if (session.hasEnded() || wire.closed) {
            frame.releaseBody();
            return;
        }
        Trace.line(() -> "  peer says " + frame + " " + frame.first() + ' ' + frame.second());
        wire.send(frame);
    }

    // What must hold.

    private void check() {
        // Plain comparisons, as this is done thousands of times a second.
        fail(wrong);
        fail(wire.wrong);
        fail(Logged.wrong().isEmpty() ? null : Logged.wrong().get(0));
        MemoryStats stats = account.stats();
        fail(stats.used() < 0 || stats.used() > total ? "memory in use: " + stats : null);
        for (long use : stats.uses().values()) {
            fail(use < 0 ? "memory in use: " + stats : null);
        }
        unanswered = 0;
        for (WirePeer.Seen each : wire.open) {
            unanswered += each.ours && !each.accepted && !each.itEnded ? 1 : 0;
            checkCredit(each);
        }
        WeirException end = session.endedWith();
        if (end != null) {
            String text = Objects.requireNonNull(end.getMessage());
            fail(Logged.isHarmless(text) ? null : "control characters in: " + text);
            if (text.contains("could not be d")) {
                throw new AssertionError(text, end);
            }
            if (!wire.broken && end instanceof ProtocolMismatch) {
                throw new AssertionError("a peer that has kept the rules is accused", end);
            }
        }
    }

    private static void fail(@Nullable String what) {
        if (what != null) {
            throw new AssertionError(what);
        }
    }

    /** The peer never has more credit than there is room for what it sends. */
    private void checkCredit(WirePeer.Seen seen) {
        Channel channel = wire.broken ? null : session.channels().find(seen.number);
        if (channel != null && !channel.inbound().over() && (seen.accepted || !seen.ours) && !session.hasEnded()) {
            Inbound in = channel.inbound();
            fail(
                    seen.items > in.window().outstanding()
                                    || seen.bytes > in.window().granted()
                            ? "credit of " + seen.items + " messages and " + seen.bytes + " bytes beyond " + in.window()
                            : null);
        }
    }

    /** The session ends in one way or another, and nothing is left of it. */
    private void finish() {
        switch (ending) {
            case 0 -> session.lost(new SessionLost("the test is over"));
            case 1 -> wire.lose("the line is cut");
            case 2 -> session.abandon(new SessionLost("it is given up"));
            case 3 -> say(FrameKind.GOODBYE, 0, 0, 0, 0, 0, text("bye"));
            case 4 -> {
                wait(peer.close());
                loop.advance(Duration.ofSeconds(10));
            }
            case 5 -> say(FrameKind.HELLO, 0, 0, 0, 0, 0, Unpooled.EMPTY_BUFFER);
            case 6 -> {
                // The node is killed.
                session.forsake("it is forsaken");
            }
            default -> {
                wire.room = 0;
                // It says nothing any more.
                loop.advance(Duration.ofMinutes(3));
            }
        }
        wire.broken |= ending == 5;
        if (!session.hasEnded()) {
            // As where a link has closed before: nothing else ends it.
            session.lost(new SessionLost("the test is over"));
        }
        // A goodbye waits for room on the link, for a while.
        loop.advance(Duration.ofSeconds(2));
        check();
        waiters.forEach(waiter ->
                assertThat(waiter.over()).as("an end for the %s", waiter).isTrue());
        if ((ending & 1) == 0) {
            readers.forEach(reader -> request(reader, 255));
        } else {
            readers.stream().filter(reader -> !reader.over()).forEach(Signals::cancel);
        }
        loop.settle();
        readers.forEach(reader -> assertThat(reader.over() || isClosedHere(reader))
                .as("an end for the %s", reader)
                .isTrue());
        sources.forEach(source -> assertThat(source.over()).as("a source ends").isTrue());
        answers.forEach(answer -> assertThat(answer.currentSubscriberCount()).isZero());
        readers.forEach(reader -> consume(reader, Integer.MAX_VALUE));
        loop.settle();
        session.abandonUndelivered("the test is over").subscribe();
        received.forEach(Received::release);
        mailbox.dispose();
        served.forEach(Disposable::dispose);
        takers.forEach(Signals::cancel);
        loop.settle();
        loop.advance(Duration.ofMinutes(1));
        others(2, 0);
        others(3, 0);
        others.close();
        check();
        nothingIsLeft();
    }

    /** Who closes a channel, or has done its work there, wants nothing more, and is told nothing more. */
    private static boolean isClosedHere(Signals<Message> reader) {
        Channel channel = reader.channel;
        return channel != null && channel.inbound().cancelledHere();
    }

    private void nothingIsLeft() {
        assertThat(account.stats().used()).isZero();
        assertThat(account.stats().uses().values()).containsOnly(0L);
        assertThat(account.lent()).isZero();
        assertThat(session.channelCount()).isZero();
        assertThat(endsReported).isPositive();
        assertThat(wire.closed).as("the link is closed").isTrue();
        assertThat(loop.timers()).as("timers").isZero();
        for (ByteBuf body : bodies) {
            assertThat(body.refCnt())
                    .as("references to a body of %d bytes", body.readableBytes())
                    .isZero();
        }
        assertThat(wire.memory.metric().usedHeapMemory()).isZero();
        assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory()).isEqualTo(pinnedBefore);
    }
}
