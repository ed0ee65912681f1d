package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static reactor.core.publisher.Sinks.EmitFailureHandler.FAIL_FAST;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.PathRequired;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.SessionLost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class SessionTest {

    private final NodeSpec spec = NodeSpec.builder().build();
    private final List<SessionPair> pairs = new ArrayList<>();

    private SessionPair pair(NodeSpec its, int room) {
        SessionPair pair = new SessionPair(its, room);
        pairs.add(pair);
        return pair;
    }

    @AfterEach
    void end() {
        pairs.forEach(SessionPair::end);
    }

    @Test
    void echoesEverythingInOrder() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        List<String> received = new ArrayList<>();
        AtomicReference<String> end = new AtomicReference<>("none");
        channel.receive()
                .doOnNext(message -> {
                    received.add(message.text());
                    message.release();
                })
                .subscribe(message -> {}, error -> end.set(error.toString()), () -> end.set("complete"));
        channel.send(Flux.range(0, 10_000).map(i -> Message.of(Integer.toString(i))))
                .subscribe();
        pair.loop.settle();
        assertThat(received).hasSize(10_000).startsWith("0", "1").endsWith("9999");
        assertThat(end.get()).isEqualTo("complete");
        assertThat(pair.client.channelCount()).isZero();
        assertThat(pair.server.channelCount()).isZero();
    }

    @Test
    void ofManyChannelsSomeAreShown() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("many", new ServeHandler(pair.ports, channel -> Mono.never()));
        for (int i = 0; i < Session.CHANNELS_SHOWN + 10; i++) {
            var unused = pair.open("many");
        }
        List<ChannelStats> shown = pair.client.peer().channels().block();
        assertThat(shown)
                .hasSize(Session.CHANNELS_SHOWN)
                .isSortedAccordingTo(Comparator.comparingLong(ChannelStats::number))
                .allMatch(ChannelStats::openedHere);
        assertThat(pair.server.peer().channels().block()).noneMatch(ChannelStats::openedHere);
    }

    @Test
    void cutsAndJoinsLongMessagesOfAnyLength() {
        SessionPair pair = pair(spec, 8);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        Random random = new Random(1);
        List<byte[]> sent = new ArrayList<>();
        for (int size : new int[] {0, 1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 1 << 20, 20 << 20, 5}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            sent.add(bytes);
        }
        List<byte[]> received = new ArrayList<>();
        channel.receive().subscribe(message -> {
            received.add(message.bytes());
            message.release();
        });
        channel.send(Flux.fromIterable(sent).map(Message::of)).subscribe();
        pair.loop.settle();
        assertThat(received).hasSize(sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertThat(received.get(i)).isEqualTo(sent.get(i));
        }
        assertThat(pair.memory.lent()).isZero();
    }

    @Test
    void neverDeliversMoreThanRequestedAndStopsTheSource() {
        SessionPair pair = pair(spec, 16);
        List<Long> asked = new ArrayList<>();
        pair.ports.serve(
                "numbers",
                new ServeHandler(
                        pair.ports,
                        channel -> channel.send(Flux.range(0, 1_000_000)
                                .doOnRequest(asked::add)
                                .map(i -> Message.of(Integer.toString(i))))));
        Channel channel = pair.open("numbers");
        List<Message> received = new ArrayList<>();
        BaseSubscriber<Message> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                // asks later
            }

            @Override
            protected void hookOnNext(Message value) {
                received.add(value);
            }
        };
        channel.receive().subscribe(subscriber);
        pair.loop.settle();
        assertThat(received).isEmpty();
        assertThat(asked.stream().mapToLong(n -> n).sum())
                .isEqualTo(spec.windows().initial());
        subscriber.request(3);
        pair.loop.settle();
        assertThat(received).hasSize(3);
        subscriber.request(1000);
        pair.loop.settle();
        assertThat(received).hasSize(1003);
        assertThat(asked.stream().mapToLong(n -> n).sum())
                .isLessThanOrEqualTo(Math.max(1003, spec.windows().initial() + 1003));
        subscriber.cancel();
        pair.loop.settle();
        received.forEach(Message::release);
        channel.close().subscribe();
        pair.loop.settle();
        assertThat(pair.server.channelCount()).isZero();
        assertThat(pair.client.channelCount()).isZero();
    }

    @Test
    void anErrorOfTheSourceFailsThePeerOnBothHalves() {
        SessionPair pair = pair(spec, 16);
        AtomicReference<Throwable> atServer = new AtomicReference<>();
        pair.ports.serve(
                "sink",
                new ServeHandler(
                        pair.ports,
                        channel -> channel.receive()
                                .doOnNext(Message::release)
                                .doOnError(atServer::set)
                                .then()));
        Channel channel = pair.open("sink");
        StepVerifier.create(channel.send(Flux.concat(
                        Mono.just(Message.of("one")), Mono.error(new IllegalStateException("no more paper")))))
                .then(pair.loop::settle)
                .verifyErrorMessage("no more paper");
        assertThat(atServer.get()).isInstanceOf(RemoteFailure.class).hasMessageContaining("no more paper");
        assertThat(pair.server.channelCount()).isZero();
        assertThat(pair.client.channelCount()).isZero();
    }

    /** The echo waits for us to take its answers, and we wait for it to take what comes before our error. */
    @Test
    void anErrorBehindWhatNobodyTakesStillEndsTheChannel() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        List<ByteBuf> payloads = new ArrayList<>();
        AtomicReference<FluxSink<Message>> emitter = new AtomicReference<>();
        Flux<Message> source = Flux.create(sink -> {
            emitter.set(sink);
            sink.onRequest(n -> {
                for (long i = 0; i < n; i++) {
                    ByteBuf payload = Unpooled.buffer(400_000).writeZero(400_000);
                    payloads.add(payload);
                    sink.next(Message.of(payload));
                }
            });
        });
        StepVerifier.create(pair.client.peer().exchange("echo", source), 1)
                .then(pair.loop::settle)
                .consumeNextWith(Message::release)
                .then(() -> emitter.get().error(new IllegalStateException("no more paper")))
                .verifyErrorMessage("no more paper");
        pair.loop.settle();
        assertThat(payloads).hasSizeGreaterThan(10).allMatch(payload -> payload.refCnt() == 0);
        assertThat(pair.server.channelCount()).isZero();
        assertThat(pair.client.channelCount()).isZero();
    }

    @Test
    void whoNoLongerAwaitsDeliveryLeavesNoChannel() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("hold", new ServeHandler(pair.ports, channel -> {
            channel.receive().subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                    // never asks
                }
            });
            return channel.send(Flux.empty()).then(Mono.never());
        }));
        Channel channel = pair.open("hold");
        channel.receive().subscribe();
        Disposable sending =
                channel.sendDelivered(Flux.just(Message.of("held"))).subscribe();
        pair.loop.settle();
        assertThat(pair.client.channelCount()).isEqualTo(1);

        sending.dispose();
        pair.loop.settle();

        assertThat(pair.client.channelCount()).isZero();
    }

    @Test
    void aPortThatNobodyServesIsNamed() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("prices", new ServeHandler(pair.ports, channel -> Mono.never()));
        StepVerifier.create(pair.client.peer().channel("price"))
                .then(pair.loop::settle)
                .verifyErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("nobody serves port 'price'")
                        .hasMessageContaining("prices"));
        assertThat(pair.client.channelCount()).isZero();
        assertThat(pair.server.channelCount()).isZero();
    }

    @Test
    void answersRequestsWithValuesNothingAndErrors() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("twice", new AnswerHandler(pair.ports, (peer, message) -> {
            String text = message.text();
            message.release();
            return switch (text) {
                case "nothing" -> Mono.empty();
                case "bad" -> Mono.error(new IllegalArgumentException("bad is bad"));
                default -> Mono.just(Message.of(text + text));
            };
        }));
        Peer peer = pair.client.peer();
        StepVerifier.create(peer.ask("twice", Message.of("ab")).map(SessionTest::textOf))
                .then(pair.loop::settle)
                .expectNext("abab")
                .verifyComplete();
        StepVerifier.create(peer.ask("twice", Message.of("nothing")))
                .then(pair.loop::settle)
                .verifyComplete();
        StepVerifier.create(peer.ask("twice", Message.of("bad")))
                .then(pair.loop::settle)
                .verifyErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("bad is bad"));
        StepVerifier.create(peer.tell("twice", Message.of("tell")))
                .then(pair.loop::settle)
                .verifyComplete();
    }

    @Test
    void aHandlerMayTurnAway() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("closed", new ServeHandler(pair.ports, channel -> {
            throw new Refused("not for you");
        }));
        pair.ports.serve("elsewhere", new ServeHandler(pair.ports, channel -> {
            throw new PathRequired("not this way");
        }));
        pair.ports.serve("deaf", new AnswerHandler(pair.ports, (peer, message) -> {
            message.release();
            throw new Refused("not from you");
        }));
        Peer peer = pair.client.peer();
        StepVerifier.create(peer.channel("closed"))
                .then(pair.loop::settle)
                .verifyErrorSatisfies(
                        error -> assertThat(error).isInstanceOf(Refused.class).hasMessageContaining("not for you"));
        StepVerifier.create(peer.channel("elsewhere"))
                .then(pair.loop::settle)
                .verifyErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(PathRequired.class).hasMessageContaining("not this way"));
        assertThat(pair.client.channelCount()).isZero();
        assertThat(pair.server.channelCount()).isZero();
        StepVerifier.create(peer.ask("deaf", Message.of("?")))
                .then(pair.loop::settle)
                .verifyErrorSatisfies(
                        error -> assertThat(error).isInstanceOf(Refused.class).hasMessageContaining("not from you"));
    }

    @Test
    void manyRequestsAtOnceAndACancelledOne() {
        SessionPair pair = pair(spec, 16);
        Sinks.One<Message> never = Sinks.one();
        List<String> cancelled = new ArrayList<>();
        pair.ports.serve("id", new AnswerHandler(pair.ports, (peer, message) -> {
            if (message.text().equals("wait")) {
                return never.asMono().doOnCancel(() -> {
                    cancelled.add("wait");
                    message.release();
                });
            }
            return Mono.just(message);
        }));
        Peer peer = pair.client.peer();
        StepVerifier.create(peer.ask("id", Message.of("wait")))
                .then(pair.loop::settle)
                .thenCancel()
                .verify();
        pair.loop.settle();
        assertThat(cancelled).containsExactly("wait");
        StepVerifier.create(Flux.range(0, 5000)
                        .flatMap(i -> peer.ask("id", Message.of(Integer.toString(i))), 2000)
                        .map(SessionTest::textOf)
                        .count())
                .then(pair.loop::settle)
                .expectNext(5000L)
                .verifyComplete();
    }

    @Test
    void theEndOfTheLinkEndsEverythingOnce() {
        SessionPair pair = pair(spec, 16);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        AtomicReference<Throwable> send = new AtomicReference<>();
        AtomicReference<Throwable> receive = new AtomicReference<>();
        channel.send(Flux.never()).subscribe(v -> {}, send::set);
        channel.receive().subscribe(Message::release, receive::set);
        StepVerifier ask = StepVerifier.create(pair.client.peer().ask("none", Message.of("x")))
                .expectError(SessionLost.class)
                .verifyLater();
        pair.links[0].lose("cut");
        pair.loop.settle();
        assertThat(send.get()).isInstanceOf(SessionLost.class);
        assertThat(receive.get()).isInstanceOf(SessionLost.class);
        ask.verify();
        StepVerifier.create(pair.client.peer().channel("echo")).verifyError(SessionLost.class);
    }

    @Test
    void aMessageLongerThanTheWindowBorrowsFromTheNode() {
        NodeSpec small = NodeSpec.builder().windowBytes(64 * 1024).build();
        SessionPair pair = pair(small, 8);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        List<Integer> sizes = new ArrayList<>();
        channel.receive().subscribe(message -> {
            sizes.add(message.size());
            message.release();
        });
        channel.send(Flux.just(10, 1 << 20, 10, 1 << 21, 60_000, 60_000)
                        .map(size -> Message.of(Unpooled.buffer(size).writerIndex(size))))
                .subscribe();
        pair.loop.settle();
        assertThat(sizes).containsExactly(10, 1 << 20, 10, 1 << 21, 60_000, 60_000);
        assertThat(pair.memory.lent()).isZero();
    }

    @Test
    void whatAnswersAMessageOfAWholeWindowComesBehindTheCreditForTheNext() {
        int whole = 64 * 1024;
        SessionPair pair = new SessionPair(NodeSpec.builder().windowBytes(whole).build(), 8, 2 * whole);
        pairs.add(pair);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        Sinks.Many<Message> messages = Sinks.many().unicast().onBackpressureBuffer();
        AtomicInteger rounds = new AtomicInteger();
        channel.receive().subscribe(message -> {
            message.release();
            if (rounds.incrementAndGet() < 10) {
                messages.emitNext(Message.of(Unpooled.buffer(whole).writerIndex(whole)), FAIL_FAST);
            }
        });
        channel.send(messages.asFlux()).subscribe();
        messages.emitNext(Message.of(Unpooled.buffer(whole).writerIndex(whole)), FAIL_FAST);
        pair.loop.settle();
        assertThat(rounds).hasValue(10);
        assertThat(pair.client.counters().creditStalls).isZero();
        assertThat(pair.server.counters().creditStalls).isZero();
    }

    /** Who has borrowed the loop must not end it, nor go on as if nothing had been. */
    @Test
    void behindABreachOfTheProtocolNothingIsTakenEvenByWhoHasBorrowedTheLoop() {
        SessionPair pair = pair(spec, 16);
        List<String> received = new ArrayList<>();
        AtomicReference<Throwable> end = new AtomicReference<>();
        pair.ports.serve(
                "sink",
                new ServeHandler(
                        pair.ports,
                        channel -> channel.receive()
                                .doOnNext(message -> received.add(textOf(message)))
                                .doOnError(end::set)
                                .then()));
        Channel channel = pair.open("sink");
        pair.server.borrowed(true);
        pair.server.frame(new Frame().set(FrameKind.DATA, 0, 4711, 0, Unpooled.EMPTY_BUFFER));
        pair.server.frame(new Frame().set(FrameKind.DATA, 0, channel.number(), 0, Unpooled.copiedBuffer("no", UTF_8)));
        pair.server.frame(new Frame().set(FrameKind.END, 0, channel.number(), 0, Unpooled.EMPTY_BUFFER));
        pair.server.borrowed(false);
        pair.loop.settle();
        assertThat(received).isEmpty();
        assertThat(end.get()).isInstanceOf(ProtocolMismatch.class);
    }

    private static String textOf(Message message) {
        String text = message.text();
        message.release();
        return text;
    }
}
