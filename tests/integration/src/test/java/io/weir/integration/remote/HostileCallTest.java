package io.weir.integration.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.integration.Books;
import io.weir.integration.Ledger;
import io.weir.integration.Ledger.Balance;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import io.weir.service.remote.Remote;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** A peer that speaks the protocol of calls by hand, and not well. */
class HostileCallTest implements OnRoute {

    private static final int CALL = 1;
    private static final int BIND = 2;
    private static final int BUSY = 2;
    private static final int MALFORMED = 4;
    private static final int REFUSED = 5;

    /** The text "wait". */
    private static final byte[] CBOR_WAIT = {0x64, 'w', 'a', 'i', 't'};

    private static Message request(int kind, int flags, int method, int millis, int object, Consumer<ByteBuf> body) {
        ByteBuf payload = Payloads.heap(200)
                .writeByte(kind)
                .writeByte(flags)
                .writeShortLE(method)
                .writeIntLE(millis)
                .writeIntLE(object);
        body.accept(payload);
        return Message.of(payload);
    }

    private static void text(ByteBuf to, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.writeIntLE(bytes.length).writeBytes(bytes);
    }

    private static Message bind() {
        return request(BIND, 0, 0, 0, 0, body -> text(body, Ledger.class.getName()));
    }

    private static int outcome(Peer peer, String port, Message request) {
        Message answer = Objects.requireNonNull(peer.ask(port, request).block(Patience.LIMIT));
        int outcome = answer.payload().getByte(answer.payload().readerIndex());
        answer.release();
        return outcome;
    }

    @Test
    void whatIsForgedIsRefusedAndTheOthersAreServed(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = new Interfaces(pair.far()).export("ledger", Ledger.class, new Books(), ExportOptions.standard());
        Peer peer = pair.peer();

        assertThat(outcome(peer, "ledger", request(CALL, 0, 0, 0, 0, body -> {})))
                .isEqualTo(REFUSED);
        StepVerifier.create(peer.exchange(
                        "ledger.streams",
                        Mono.fromSupplier(() -> request(CALL, 0, 0, 0, 0, body -> {}))
                                .flux()))
                .expectErrorSatisfies(
                        error -> assertThat(error).isInstanceOf(Refused.class).hasMessageContaining("has not bound"))
                .verify(Patience.LIMIT);
        assertThat(outcome(peer, "ledger", request(BIND, 0, 0, 0, 0, body -> text(body, "java.lang.Runtime"))))
                .isEqualTo(MALFORMED);
        assertThat(outcome(peer, "ledger", bind())).isZero();
        for (int kind : new int[] {0, CALL, BIND, 3, 4, 255}) {
            for (int number : new int[] {0, 5, 30, 0xffff}) {
                for (int length : new int[] {-2, Integer.MIN_VALUE, Integer.MAX_VALUE, 1000, 1}) {
                    assertThat(outcome(peer, "ledger", request(kind, 0, number, 0, 0, body -> body.writeIntLE(length))))
                            .isEqualTo(MALFORMED);
                }
            }
        }
        assertThat(outcome(peer, "ledger", request(CALL, 1, 0, 0, 0, body -> {})))
                .isEqualTo(MALFORMED);
        assertThat(outcome(peer, "ledger", request(CALL, 0, 0, -1, 0, body -> {})))
                .isEqualTo(MALFORMED);
        assertThat(outcome(peer, "ledger", request(CALL, 0, 0, 0, 1, body -> {})))
                .isEqualTo(MALFORMED);
        assertThat(outcome(peer, "ledger", Message.of(Payloads.heap(0)))).isEqualTo(MALFORMED);
        assertThat(outcome(peer, "weir.references", request(CALL, 0, 0, 0, 1, body -> {})))
                .isEqualTo(REFUSED);

        pair.settle();
        Ledger ledger = new Interfaces(pair.near()).proxy(Ledger.class, peer, "ledger", ProxyOptions.standard());
        assertThat(ledger.balance("ann").block(Patience.LIMIT)).isEqualTo(new Balance("ann", 3));
    }

    /** The number of the method with this key, as the server tells it to who binds. */
    private static int number(Peer peer, String key) {
        Message answer = Objects.requireNonNull(peer.ask("ledger", bind()).block(Patience.LIMIT));
        try {
            ByteBuf body = answer.payload().skipBytes(1);
            skipText(body);
            skipText(body);
            int methods = body.readUnsignedShortLE();
            for (int number = 0; number < methods; number++) {
                if (text(body).equals(key)) {
                    return number;
                }
                skipText(body);
            }
            throw new AssertionError("no method " + key);
        } finally {
            answer.release();
        }
    }

    private static String text(ByteBuf from) {
        return from.readCharSequence(from.readIntLE(), StandardCharsets.UTF_8).toString();
    }

    private static void skipText(ByteBuf from) {
        from.skipBytes(from.readIntLE());
    }

    /** Nobody waits for its end, but whoever comes and goes must not leave work behind each time. */
    @Test
    void whatIsToldEndsWithItsSession(Nodes nodes) {
        Pair pair = nodes.pair();
        Books books = new Books();
        var unused = new Interfaces(pair.far()).export("ledger", Ledger.class, books, ExportOptions.standard());
        Peer peer = pair.peer();
        Message waiting = request(CALL, 0, number(peer, "waiting()"), 0, 0, body -> {});
        Message blocking = request(
                CALL,
                0,
                number(peer, "now(java.lang.String)"),
                0,
                0,
                body -> body.writeIntLE(5).writeBytes(CBOR_WAIT));

        peer.tell("ledger", waiting).then(peer.tell("ledger", blocking)).block(Patience.LIMIT);
        Patience.until("one has begun", () -> books.waiters.get() == 1);
        Patience.await("one blocks", books.begun);
        peer.close().block(Patience.LIMIT);

        Patience.until("one is cancelled", () -> books.cancelled.get() == 1);
        Patience.until("one is interrupted", () -> books.interrupted.get() == 1);
    }

    @Remote
    interface Bell {

        Mono<Void> ring();
    }

    interface Desk {

        Mono<Void> leave(Bell bell);
    }

    /**
     * The numbers of the objects are kept until the peer has taken that they are not needed, and are counted as long.
     */
    @Test
    void whoDoesNotTakeObjectsBackPassesNoMore(Nodes nodes) {
        Pair pair = nodes.pair(near -> near.windowItems(16), far -> far);
        Desk desk = bell -> {
            try {
                ((AutoCloseable) bell).close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return Mono.empty();
        };
        var unused = new Interfaces(pair.far()).export("desk", Desk.class, desk, ExportOptions.standard());
        Peer peer = pair.peer();
        Sinks.Empty<Message> takes = Sinks.empty();
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        var taking = pair.near().answer("weir.references", message -> {
            taken.add(message.payload().getIntLE(8));
            message.release();
            return takes.asMono();
        });
        assertThat(outcome(peer, "desk", request(BIND, 0, 0, 0, 0, body -> text(body, Desk.class.getName()))))
                .isZero();

        int passed = 1;
        while (passed < 6000 && leave(peer, passed)) {
            passed++;
        }
        assertThat(passed).isBetween(4097, 4097 + 3 * 16);
        nodes.connect(nodes.start("bystander"), pair.far()).settle();
        takes.tryEmitEmpty().orThrow();
        int all = passed;
        Patience.until("all are taken back", () -> taken.size() == all - 1);
        assertThat(leave(peer, all)).isTrue();
        taking.dispose();
    }

    /** Passes one object, if that is not refused. */
    private static boolean leave(Peer peer, int number) {
        Message call =
                request(CALL, 0, 0, 0, 0, body -> body.writeIntLE(Integer.BYTES).writeIntLE(number));
        Message answer = peer.ask("desk", call).block(Patience.LIMIT);
        if (answer == null) {
            return true;
        }
        assertThat(answer.payload().getByte(answer.payload().readerIndex())).isEqualTo((byte) BUSY);
        answer.release();
        return false;
    }

    @Test
    void noiseHarmsNobody(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = new Interfaces(pair.far()).export("ledger", Ledger.class, new Books(), ExportOptions.standard());
        Random random = new Random(io.weir.tck.Seed.of("noise"));
        assertThat(outcome(pair.peer(), "ledger", bind())).isZero();

        for (int i = 0; i < 300; i++) {
            Message noise = request(CALL, 0, random.nextInt(40), 0, 0, body -> {
                byte[] bytes = new byte[random.nextInt(60)];
                random.nextBytes(bytes);
                body.writeIntLE(random.nextInt(80) - 1).writeBytes(bytes);
            });
            if (i % 2 == 0) {
                StepVerifier.create(pair.peer()
                                .ask("ledger", noise)
                                .doOnNext(Message::release)
                                .then())
                        .expectComplete()
                        .verify(Patience.LIMIT);
            } else {
                StepVerifier.create(pair.peer()
                                .exchange(
                                        "ledger.streams",
                                        Flux.just(
                                                noise,
                                                Message.of(Payloads.heap(3).writeZero(3))))
                                .doOnNext(Message::release)
                                .then())
                        .expectComplete()
                        .verify(Patience.LIMIT);
            }
        }
        pair.peer().close().block(Patience.LIMIT);
        nodes.goesOn(pair.far());
    }

    @Test
    void aServerThatAnswersNonsenseIsAClearError(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("ledger", request -> {
            request.release();
            return reactor.core.publisher.Mono.just(Message.of(Payloads.heap(9).writeZero(9)));
        });
        Ledger ledger = new Interfaces(pair.near()).proxy(Ledger.class, pair.peer(), "ledger", ProxyOptions.standard());

        StepVerifier.create(ledger.balance("ann"))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(ProtocolMismatch.class))
                .verify(Patience.LIMIT);
    }
}
