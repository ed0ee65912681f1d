package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.ChannelStats;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerStats;
import io.weir.channel.RoundTrips;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.Misconfigured;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.tck.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** The interactions that users have over channels: tell, ask, stream, exchange, stages, accepted channels. */
interface InteractionContract extends OnRoute {

    /** What travels as JSON. */
    record Point(int x, int y, String name) {}

    @Test
    default void ask(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("upper", message -> {
            String tag = String.valueOf(message.control().get("tag"));
            return Mono.just(Payloads.text(Payloads.read(message).toUpperCase(java.util.Locale.ROOT))
                    .with("tag", tag + tag));
        });

        StepVerifier.create(pair.peer().ask("upper", Payloads.text("weir").with("tag", "a")))
                .assertNext(message -> {
                    assertThat(message.control().get("tag")).isEqualTo("aa");
                    assertThat(Payloads.read(message)).isEqualTo("WEIR");
                })
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void askTellAndStreamValues(Nodes nodes) {
        Pair pair = nodes.pair();
        Codec<Point> points = Codecs.json(Point.class);
        Sinks.Many<Point> told = Sinks.many().unicast().onBackpressureBuffer();
        var unused = pair.far()
                .answer(
                        "mirror",
                        points,
                        points,
                        point -> point.x() < 0
                                ? Mono.error(new IllegalStateException("x < 0"))
                                : Mono.just(new Point(point.y(), point.x(), point.name())));
        var unused2 = pair.far().answer("note", points, points, point -> {
            told.tryEmitNext(point).orThrow();
            return Mono.empty();
        });
        var unused3 = pair.far().stream(
                "row",
                points,
                points,
                point -> Flux.range(0, point.x()).map(i -> new Point(i, point.y(), point.name())));

        Mono<Point> mirrored = pair.peer().ask("mirror", new Point(1, 2, "é"), points, points);
        for (int again = 0; again < 2; again++) {
            StepVerifier.create(mirrored)
                    .expectNext(new Point(2, 1, "é"))
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
        StepVerifier.create(pair.peer().ask("mirror", new Point(-1, 2, ""), points, points))
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("x < 0"))
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().ask("mirror", Payloads.text("no point")))
                .expectError(RemoteFailure.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().tell("note", new Point(7, 8, "told"), points))
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(told.asFlux().take(1))
                .expectNext(new Point(7, 8, "told"))
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().stream("row", new Point(300, 5, "row"), points, points), 10)
                .expectNextCount(10)
                .thenRequest(1000)
                .expectNextCount(290)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void askLongMessages(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("echo", Mono::just);
        Parcels parcels = new Parcels(Seed.of("long asks"), Sizes.LONG);

        StepVerifier.create(Flux.range(0, 12)
                        .flatMapSequential(
                                i -> pair.peer().ask("echo", parcels.message(i)).doOnNext(m -> parcels.check(i, m))))
                .expectNextCount(12)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void whoAnswersKnowsWhoAsks(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("who", (peer, message) -> {
            message.release();
            return Mono.just(Payloads.text(peer.id().toString()));
        });

        StepVerifier.create(pair.peer().ask("who", Payloads.text("?")).map(Payloads::read))
                .expectNext(pair.near().id().toString())
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void askForNothing(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("empty", message -> {
            message.release();
            return Mono.empty();
        });

        StepVerifier.create(pair.peer().ask("empty", Payloads.text("?")))
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void askWhatFails(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far().answer("fails", message -> {
            message.release();
            return Mono.error(new IllegalStateException("out of ink"));
        });
        pair.far()
                .answer(
                        "later",
                        message -> Mono.<Message>error(new IllegalStateException("out of time"))
                                .delaySubscription(Mono.just(1).publishOn(Schedulers.parallel()))
                                .doFinally(signal -> message.release()));
        pair.far().answer("throws", message -> {
            message.release();
            throw new IllegalArgumentException("no such colour");
        });

        for (String[] each : new String[][] {
            {"fails", "IllegalStateException: out of ink"},
            {"later", "IllegalStateException: out of time"},
            {"throws", "IllegalArgumentException: no such colour"}
        }) {
            StepVerifier.create(pair.peer().ask(each[0], Payloads.text("?")))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(RemoteFailure.class)
                            .hasMessageContaining(each[1])
                            .hasMessageContaining(pair.far().id().toString())
                            .hasMessageContaining(each[0]))
                    .verify(Patience.LIMIT);
        }
    }

    @Test
    default void whoAsksMayCancel(Nodes nodes) {
        Pair pair = nodes.pair();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        var unused = pair.far().answer("never", message -> {
            message.release();
            return Mono.<Message>never()
                    .doOnSubscribe(subscription -> asked.countDown())
                    .doOnCancel(cancelled::countDown);
        });

        Disposable asking = pair.peer().ask("never", Payloads.text("?")).subscribe();
        Patience.await("the request has arrived", asked);
        asking.dispose();

        Patience.await("the handler is cancelled", cancelled);
        StepVerifier.create(pair.peer().ask("never", Payloads.text("?")), 0)
                .thenCancel()
                .verify(Patience.LIMIT);
    }

    @Test
    default void anAnswerIsOneMessage(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicInteger cancelled = new AtomicInteger();
        var unused = pair.far().answer("many", message -> {
            message.release();
            return Flux.<Message>generate(sink -> sink.next(Payloads.text("one of many")))
                    .hide()
                    .doOnCancel(cancelled::incrementAndGet);
        });

        StepVerifier.create(pair.peer().ask("many", Payloads.text("?")).map(Payloads::read))
                .expectNext("one of many")
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.until("the handler's stream is cancelled", () -> cancelled.get() == 1);
    }

    @Test
    default void aThousandAsksAtOnce(Nodes nodes) {
        Pair pair = nodes.pair();
        Queue<Runnable> later = new ConcurrentLinkedQueue<>();
        AtomicInteger seen = new AtomicInteger();
        var unused = pair.far().answer("echo", message -> {
            int number = seen.incrementAndGet();
            // At once, from another thread, and some only when all have come, in the wrong order.
            return switch (number % 3) {
                case 0 -> Mono.just(message);
                case 1 -> Mono.just(message).publishOn(Schedulers.parallel());
                default ->
                    Mono.create(sink -> {
                        later.add(() -> sink.success(message));
                        if (later.size() == 333) {
                            new ArrayList<>(later).forEach(Runnable::run);
                        }
                    });
            };
        });

        StepVerifier.create(Flux.range(0, 999)
                        .flatMap(
                                i -> pair.peer()
                                        .ask("echo", Payloads.text("n" + i))
                                        .map(Payloads::read)
                                        .doOnNext(answer -> assertThat(answer).isEqualTo("n" + i)),
                                1_000))
                .expectNextCount(999)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    /** The asker's window may be far smaller than the answerer's: answers wait for credit like everything else. */
    @Test
    default void answersWaitForCredit(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.windowItems(4).windowBytes(64 << 10), spec -> spec.windowItems(1_024));
        var unused = pair.far().answer("echo", Mono::just);
        Parcels parcels = new Parcels(Seed.of("credit"), Sizes.MIXED);

        StepVerifier.create(Flux.range(0, 2_000)
                        .flatMap(
                                i -> pair.peer()
                                        .ask("echo", parcels.message(i))
                                        .doOnNext(answer -> parcels.check(i, answer)),
                                4))
                .expectNextCount(2_000)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void moreAsksThanMayWaitAreRefused(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.windowItems(8));
        int underWay = 2 * 8;
        int waiting = 16 * 1024;
        int refused = 100;
        CountDownLatch refusals = new CountDownLatch(refused);
        var unused = pair.far().answer("never", message -> {
            message.release();
            return Mono.never();
        });
        Disposable asking = Flux.range(0, underWay + waiting + refused)
                .flatMap(
                        i -> pair.peer().ask("never", Payloads.text("?")).onErrorResume(error -> {
                            assertThat(error).isInstanceOf(Overloaded.class).hasMessageContaining("'never'");
                            refusals.countDown();
                            return Mono.empty();
                        }),
                        Integer.MAX_VALUE)
                .subscribe();

        Patience.await("all but those that are under way or wait are refused", refusals);
        asking.dispose();
        pair.settle();
    }

    /**
     * Such an error, of which a class that is missing is the usual one, is handed on by Reactor to whoever has called.
     */
    @Test
    default void whoHasAskedHearsOfFatalErrorsToo(Nodes nodes) {
        Pair pair = nodes.pair();
        Error missing = new NoClassDefFoundError("made/Up");
        pair.far().answer("throws", message -> {
            message.release();
            throw missing;
        });
        pair.far().answer("yields", message -> {
            message.release();
            return Mono.error(missing);
        });
        pair.far()
                .answer(
                        "begins",
                        message -> Mono.<Message>fromRunnable(() -> {
                                    message.release();
                                    throw missing;
                                })
                                .hide());

        for (String port : List.of("throws", "yields", "begins")) {
            StepVerifier.create(pair.peer().ask(port, Payloads.text("?")))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .as(port)
                            .isInstanceOf(RemoteFailure.class)
                            .hasMessageContaining("made/Up"))
                    .verify(Patience.LIMIT);
        }
        pair.settle();
    }

    @Test
    default void anAskerThatFailsFatallyFailsAlone(Nodes nodes) {
        Pair pair = nodes.pair();
        Sinks.One<String> go = Sinks.one();
        pair.far()
                .answer(
                        "echo",
                        message -> go.asMono().map(text -> {
                            message.release();
                            return Payloads.text(text);
                        }));
        Probe<String> other = Probe.of(1, text -> {});
        AtomicBoolean thrown = new AtomicBoolean();
        pair.peer()
                .ask("echo", Payloads.text("?"))
                .doOnNext(answer -> {
                    answer.release();
                    thrown.set(true);
                    throw new StackOverflowError("made up");
                })
                .subscribe(answer -> {}, error -> {});
        pair.peer().ask("echo", Payloads.text("?")).map(Payloads::read).subscribe(other);

        go.tryEmitValue("!").orThrow();

        other.awaitComplete();
        assertThat(other.received()).isEqualTo(1);
        Patience.until("the first one has thrown", thrown::get);
        pair.settle();
    }

    @Test
    default void anOpenerThatFailsFatallyEndsTheChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        Probe<Message> received = Probe.releasing(Long.MAX_VALUE);
        AtomicBoolean thrown = new AtomicBoolean();
        var unused = pair.far().serve("door", channel -> {
            channel.receive().subscribe(received);
            return Mono.never();
        });
        var unusedEcho = pair.far().answer("echo", Mono::just);
        pair.peer()
                .channel("door")
                .doOnNext(channel -> {
                    thrown.set(true);
                    throw new StackOverflowError("made up");
                })
                .subscribe(channel -> {}, error -> {});

        Patience.until("it has thrown", thrown::get);
        received.awaitComplete();
        // The same session goes on.
        StepVerifier.create(pair.peer().ask("echo", Payloads.text("?")).map(Payloads::read))
                .expectNext("?")
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void anAcceptorThatFailsFatallyFailsTheChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far()
                .accept("door")
                .doOnNext(channel -> {
                    throw new StackOverflowError("made up");
                })
                .subscribe(channel -> {}, error -> {});

        StepVerifier.create(pair.peer()
                        .channel("door")
                        .flatMap(channel -> channel.receive().then()))
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("made up"))
                .verify(Patience.LIMIT);
    }

    @Test
    default void aRequestIsSentOnce(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().answer("echo", Mono::just);
        Mono<String> asking = pair.peer().ask("echo", Payloads.text("?")).map(Payloads::read);

        StepVerifier.create(asking).expectNext("?").expectComplete().verify(Patience.LIMIT);
        StepVerifier.create(asking).expectError(IllegalStateException.class).verify(Patience.LIMIT);
    }

    @Test
    default void aRequestThatIsTooLongFailsAlone(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.maxMessage(10_000).nodeBytes(100_000));
        pair.far().answer("echo", Mono::just);
        pair.far().answer("grows", message -> {
            message.release();
            return Mono.just(Message.of(Payloads.heap(10_001).writeZero(10_001)));
        });

        StepVerifier.create(
                        pair.peer().ask("echo", Message.of(Payloads.heap(10_001).writeZero(10_001))))
                .expectError(MessageTooLarge.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().ask("grows", Payloads.text("?")))
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("weir.message.max"))
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().ask("echo", Payloads.text("short")).map(Payloads::read))
                .expectNext("short")
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void tell(Nodes nodes) {
        Pair pair = nodes.pair();
        Parcels parcels = new Parcels(Seed.of("tell"), Sizes.MIXED);
        CountDownLatch told = new CountDownLatch(1_000);
        var check = parcels.checker();
        var unused = pair.far().answer("log", message -> {
            check.accept(message);
            told.countDown();
            return Mono.empty();
        });

        StepVerifier.create(Flux.range(0, 1_000).concatMap(i -> pair.peer().tell("log", parcels.message(i))))
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.await("all have arrived", told);
    }

    /** What is told and fails there is nobody's answer; the next one is served as ever. */
    @Test
    default void tellWhatFails(Nodes nodes) {
        Pair pair = nodes.pair();
        CountDownLatch told = new CountDownLatch(3);
        var unused = pair.far().answer("log", message -> {
            told.countDown();
            String text = Payloads.read(message);
            if (text.equals("throw")) {
                throw new IllegalStateException("thrown on purpose");
            }
            return text.equals("fail") ? Mono.error(new IllegalStateException("failed on purpose")) : Mono.empty();
        });

        StepVerifier.create(Flux.just("throw", "fail", "fine")
                        .concatMap(what -> pair.peer().tell("log", Payloads.text(what))))
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.await("all have arrived", told);
    }

    @Test
    default void stream(Nodes nodes) {
        Pair pair = nodes.pair();
        Parcels parcels = new Parcels(Seed.of("stream"), Sizes.MIXED);
        AtomicInteger cancelled = new AtomicInteger();
        pair.far().stream("count", request -> parcels.flux(Integer.parseInt(Payloads.read(request))));
        pair.far().stream("endless", request -> {
            request.release();
            return parcels.flux(Long.MAX_VALUE).doOnCancel(cancelled::incrementAndGet);
        });
        pair.far().stream("fails", request -> {
            request.release();
            return parcels.flux(3).concatWith(Mono.error(new IllegalStateException("the end of the road")));
        });

        StepVerifier.create(pair.peer().stream("count", Payloads.text("1000")).doOnNext(parcels.checker()))
                .expectNextCount(1_000)
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().stream("count", Payloads.text("0")))
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().stream("endless", Payloads.text("?"))
                        .doOnNext(parcels.checker())
                        .take(500))
                .expectNextCount(500)
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.until("the stream there is cancelled", () -> cancelled.get() == 1);
        StepVerifier.create(pair.peer().stream("fails", Payloads.text("?")).doOnNext(Message::release))
                .expectNextCount(3)
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("the end of the road"))
                .verify(Patience.LIMIT);
    }

    @Test
    default void exchangeStopsBothWays(Nodes nodes) {
        Pair pair = nodes.pair();
        Source farSource = Source.of(Sizes.TINY);
        var unused = pair.far()
                .serve(
                        "both",
                        channel -> Flux.merge(
                                        channel.receive()
                                                .doOnNext(Message::release)
                                                .then(),
                                        channel.send(farSource.endless()))
                                .then());
        Source source = Source.of(Sizes.TINY);

        StepVerifier.create(pair.peer().exchange("both", source.endless()).doOnNext(Message::release))
                .expectNextCount(100)
                .thenCancel()
                .verify(Patience.LIMIT);

        source.awaitCancelled();
        farSource.awaitCancelled();
        pair.settle();
    }

    @Test
    default void exchangeFailsWithItsSource(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("echo", channel -> channel.send(channel.receive()));
        IllegalStateException cause = new IllegalStateException("no more");

        StepVerifier.create(pair.peer()
                        .exchange("echo", Flux.concat(Mono.fromCallable(() -> Payloads.text("one")), Mono.error(cause)))
                        .doOnNext(Message::release)
                        .ignoreElements())
                .expectErrorSatisfies(error -> assertThat(error).isSameAs(cause))
                .verify(Patience.LIMIT);
    }

    @Test
    default void stagesOfAPipeline(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far()
                .serve(
                        "mirror",
                        channel -> channel.send(
                                channel.receive(Codecs.json(Point.class)).map(p -> new Point(p.y(), p.x(), p.name())),
                                Codecs.json(Point.class)));
        pair.far()
                .serve(
                        "name",
                        channel -> channel.send(
                                channel.receive(Codecs.json(Point.class)).map(Point::name), Codecs.text()));

        StepVerifier.create(Flux.range(0, 500)
                        .map(i -> new Point(i, -i, "p" + i))
                        .transform(pair.peer().stage("mirror", Codecs.json(Point.class), Codecs.json(Point.class)))
                        .doOnNext(p -> assertThat(p.x()).isEqualTo(-p.y()))
                        .transform(pair.peer().stage("name", Codecs.json(Point.class), Codecs.text())))
                .expectNextSequence(
                        IntStream.range(0, 500).mapToObj(i -> "p" + i).toList())
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void whatTheCodecRefusesFailsTheChannel(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far()
                .serve(
                        "points",
                        channel -> channel.send(
                                channel.receive(Codecs.json(Point.class)).map(Point::name), Codecs.text()));

        StepVerifier.create(Flux.just("no point")
                        .concatWith(Flux.never())
                        .transform(pair.peer().stage("points", Codecs.text(), Codecs.text())))
                .expectError(RemoteFailure.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(Flux.just(new Point(1, 2, "x"))
                        .concatWith(Flux.never())
                        .transform(pair.peer().stage("points", Codecs.json(Point.class), Codecs.json(Point.class))))
                .expectError(ProtocolMismatch.class)
                .verify(Patience.LIMIT);
        pair.settle();
    }

    /** A channel is accepted when the subscriber asks for one. */
    @Test
    default void acceptedChannelsFollowTheDemand(Nodes nodes) {
        Pair pair = nodes.pair();
        Probe<Channel> accepting = Probe.of(0, channel -> {});
        pair.far().accept("door").subscribe(accepting);
        List<Probe<Channel>> opening = new ArrayList<>();
        List<Channel> opened = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Probe<Channel> one = Probe.of(1, opened::add);
            pair.peer().channel("door").subscribe(one);
            opening.add(one);
        }
        pair.settle();
        assertThat(opening).noneMatch(Probe::ended);

        accepting.request(2);
        accepting.awaitReceived(2);
        opening.get(0).awaitComplete();
        opening.get(1).awaitComplete();
        pair.settle();
        assertThat(opening.subList(2, 5)).noneMatch(Probe::ended);
        accepting.request(2);
        accepting.awaitReceived(4);
        opening.get(3).awaitComplete();

        accepting.cancel();
        assertThat(opening.get(4).awaitError())
                .isInstanceOf(Refused.class)
                .hasMessageContaining("door")
                .hasMessageContaining(pair.far().id().toString());
        assertThat(opened).hasSize(4);
        StepVerifier.create(pair.peer().channel("door"))
                .expectError(Refused.class)
                .verify(Patience.LIMIT);
    }

    /** Who has lost patience takes no place in the queue, nor the demand of the one who accepts. */
    @Test
    default void whoGivesUpWaitingIsNotAccepted(Nodes nodes) {
        Pair pair = nodes.pair();
        Node other = nodes.start("other");
        Pair leaving = nodes.connect(other, nodes.start("unused"));
        var leaver = other.connect(pair.far().address()).block(Patience.LIMIT);
        Probe<Channel> accepting = Probe.of(0, channel -> {});
        pair.far().accept("door").subscribe(accepting);
        // As many of one peer as may wait, of 128 in all.
        int most = 48;
        for (int i = 0; i < most; i++) {
            leaver.channel("door").subscribe(channel -> {}, error -> {});
        }
        Patience.until("all wait", () -> pair.far().stats().stream().anyMatch(stats -> stats.channels() == most));
        other.close().block(Patience.LIMIT);
        Patience.until("it has left", () -> pair.far().connected().size() == 1);

        Probe<Channel> opening = Probe.of(1, channel -> {});
        pair.peer().channel("door").subscribe(opening);
        pair.settle();
        accepting.request(1);

        accepting.awaitReceived(1);
        opening.awaitComplete();
        accepting.cancel();
        assertThat(leaving.peer()).isNotNull();
    }

    @Test
    default void aPortHasOneHandler(Nodes nodes) {
        Pair pair = nodes.pair();
        Disposable first = pair.far().serve("taken", channel -> Mono.empty());

        assertThatThrownBy(() -> pair.far().serve("taken", channel -> Mono.empty()))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("taken");
        assertThatThrownBy(() -> pair.far().answer("taken", Mono::just)).isInstanceOf(Misconfigured.class);
        StepVerifier.create(pair.far().accept("taken"))
                .expectError(Misconfigured.class)
                .verify(Patience.LIMIT);
        assertThatThrownBy(() -> pair.far().serve(" ", channel -> Mono.empty())).isInstanceOf(Misconfigured.class);
        assertThatThrownBy(() -> pair.far().serve("x".repeat(256), channel -> Mono.empty()))
                .isInstanceOf(Misconfigured.class);
        StepVerifier.create(pair.peer().channel("x".repeat(256)))
                .expectError(Misconfigured.class)
                .verify(Patience.LIMIT);

        first.dispose();
        pair.far().serve("taken", channel -> channel.send(channel.receive()));
        StepVerifier.create(pair.peer()
                        .exchange("taken", Flux.just(Message.of("again")))
                        .map(Payloads::read))
                .expectNext("again")
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void aPortThatNobodyServes(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("prices", channel -> Mono.empty());

        for (Mono<?> each : List.of(
                pair.peer().channel("prizes"),
                pair.peer().ask("prizes", Payloads.text("?")),
                pair.peer().tell("prizes", Payloads.text("?")),
                pair.peer().stream("prizes", Payloads.text("?")).then(),
                pair.peer().exchange("prizes", Flux.empty()).then())) {
            StepVerifier.create(each)
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(Refused.class)
                            .hasMessageContaining("'prizes'")
                            .hasMessageContaining("prices")
                            .hasMessageContaining(pair.far().id().toString()))
                    .verify(Patience.LIMIT);
        }
        // It is served as soon as somebody does.
        pair.far().answer("prizes", Mono::just);
        StepVerifier.create(pair.peer().ask("prizes", Payloads.text("?")).map(Payloads::read))
                .expectNext("?")
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    default void aPortOfTheOtherKind(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far().serve("channels", channel -> Mono.empty());
        pair.far().answer("requests", Mono::just);

        StepVerifier.create(pair.peer().ask("channels", Payloads.text("?")))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("'channels' is served by channels"))
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().channel("requests"))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("'requests' answers requests"))
                .verify(Patience.LIMIT);
    }

    /** A port that is no longer served lets what it has begun come to its end. */
    @Test
    default void whatAPortHasBegunGoesOn(Nodes nodes) {
        Pair pair = nodes.pair();
        Disposable serving = pair.far().serve("echo", channel -> channel.send(channel.receive()));
        Source source = Source.of(Sizes.TINY);
        Probe<Message> received = Probe.of(Long.MAX_VALUE, source.parcels().checker());
        Channel channel = pair.peer().channel("echo").block(Patience.LIMIT);
        channel.receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        channel.send(source.flux(2_000).delaySubscription(Duration.ZERO)).subscribe(sent);
        received.awaitReceived(10);

        serving.dispose();

        StepVerifier.create(pair.peer().channel("echo"))
                .expectError(Refused.class)
                .verify(Patience.LIMIT);
        assertThat(received.awaitComplete().received()).isEqualTo(2_000);
        sent.awaitComplete();
    }

    /** Whether the sum of what a node says it has sent and received is what was sent and received. */
    @Test
    default void statistics(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("counted");
        Parcels parcels = new Parcels(Seed.of("stats"), Sizes.ONE_KIB);
        Probe<Message> received = Probe.of(10, parcels.checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(parcels.flux(100)).subscribe(sent);
        received.awaitReceived(10);
        Patience.until(
                () -> "what waits is counted: " + pair.far().stats(),
                () -> pair.far().stats().get(0).queuedBytes() >= 90 * 1024);

        received.request(Long.MAX_VALUE);
        received.awaitComplete();
        sent.awaitComplete();

        var near = pair.near().stats().get(0);
        Patience.until(
                () -> "all is counted: " + pair.far().stats(),
                () -> pair.far().stats().get(0).messagesReceived() == 100
                        && pair.far().stats().get(0).queuedBytes() == 0);
        var far = pair.far().stats().get(0);
        assertThat(near.messagesSent()).isEqualTo(100);
        assertThat(near.bytesSent()).isGreaterThanOrEqualTo(100 * 1024);
        assertThat(far.bytesReceived()).isEqualTo(near.bytesSent());
        assertThat(near.path()).isEqualTo(route().path);
        assertThat(near.peer()).isEqualTo(pair.far().id());
        assertThat(near.framesSent()).isGreaterThanOrEqualTo(100);
        assertThat(near.queuedBytes()).isZero();
    }

    /** What shows which side is the slower one, and nothing of it is left when the channel has ended. */
    @Test
    default void creditAndDemandAreShown(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("slow");
        Patience.until(
                () -> "there is credit to begin with: " + pair.stats(),
                () -> pair.stats().creditItems() > 0 && pair.stats().creditBytes() > 0);
        assertThat(pair.stats().creditStalls()).isZero();
        Parcels parcels = new Parcels(Seed.of("slow"), Sizes.ONE_KIB);
        Probe<Message> received = Probe.of(3, parcels.checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(parcels.flux(20_000)).subscribe(sent);
        Patience.until(
                () -> "the sender waits: " + pair.stats(),
                () -> pair.stats().creditItems() == 0 && pair.stats().creditStalls() > 0);
        Duration waited = pair.stats().creditStallTime();
        Patience.until(
                () -> "it waits on: " + pair.stats(),
                () -> pair.stats().creditStallTime().compareTo(waited) > 0);
        Patience.until(
                () -> "nothing is asked for, and much waits: " + pair.far().stats(),
                () -> pair.far().stats().get(0).demand() == 0
                        && pair.far().stats().get(0).queuedMessages() > 0);

        received.request(Long.MAX_VALUE);
        received.awaitComplete();
        sent.awaitComplete();
        ends.far().close().block(Patience.LIMIT);
        Patience.until(
                () -> "nothing is left: " + pair.stats() + pair.far().stats(),
                () -> isEmpty(pair.stats()) && isEmpty(pair.far().stats().get(0)));
        assertThat(pair.stats().creditStallTime())
                .isEqualTo(pair.stats().creditStallTime())
                .isPositive();
    }

    /** Of the requests, every 16th is measured; nothing is of who answers them. */
    @Test
    default void roundTripsAreSampled(Nodes nodes) {
        Pair pair = nodes.pair();
        assertThat(pair.stats().roundTrips()).isEqualTo(RoundTrips.NONE);
        long begun = System.nanoTime();
        for (int i = 0; i < 33; i++) {
            pair.settle();
        }
        Duration most = Duration.ofNanos(System.nanoTime() - begun);
        RoundTrips all = pair.stats().allRoundTrips();
        assertThat(all.count()).isEqualTo((5 * 33 + 15) / 16);
        assertThat(all.p50()).isPositive().isLessThanOrEqualTo(all.p90());
        assertThat(all.p90()).isLessThanOrEqualTo(all.p99());
        assertThat(all.p99()).isLessThanOrEqualTo(all.max());
        assertThat(all.max()).isLessThanOrEqualTo(most);
        assertThat(pair.far().stats().get(0).allRoundTrips()).isEqualTo(RoundTrips.NONE);
    }

    private static ChannelStats only(Peer peer) {
        List<ChannelStats> channels = peer.channels().block(Patience.LIMIT);
        assertThat(channels).hasSize(1);
        return channels.get(0);
    }

    @Test
    default void channelsAreShown(Nodes nodes) {
        Pair pair = nodes.pair();
        assertThat(pair.peer().channels().block(Patience.LIMIT)).isEmpty();
        Pair.Ends ends = pair.open("shown");
        Parcels parcels = new Parcels(Seed.of("shown"), Sizes.ONE_KIB);
        Probe<Message> received = Probe.of(3, parcels.checker());
        ends.far().receive().subscribe(received);
        Probe<Void> sent = Probe.end();
        ends.near().send(parcels.flux(20_000)).subscribe(sent);
        Patience.until("the sender waits", () -> only(pair.peer()).creditItems() == 0);
        Patience.until(
                "all that was sent is there, and three of them were asked for",
                () -> only(pair.back()).queuedMessagesIn() + 3L == pair.stats().messagesSent());

        ChannelStats near = only(pair.peer());
        ChannelStats far = only(pair.back());
        assertThat(near.port()).isEqualTo("shown").isEqualTo(far.port());
        assertThat(near.number()).isEqualTo(far.number());
        assertThat(near.openedHere()).isTrue();
        assertThat(far.openedHere()).isFalse();
        assertThat(near.sending() && near.receiving() && far.sending() && far.receiving())
                .isTrue();
        assertThat(far.demand()).isZero();
        assertThat(far.queuedMessagesIn()).isPositive();
        assertThat(far.queuedBytesIn()).isGreaterThanOrEqualTo(1024L * far.queuedMessagesIn());
        assertThat(far.creditItems()).isPositive();
        assertThat(far.creditBytes()).isPositive();

        received.request(Long.MAX_VALUE);
        received.awaitComplete();
        sent.awaitComplete();
        Patience.until("the half is closed", () -> !only(pair.back()).receiving());
        assertThat(only(pair.peer()).sending()).isFalse();
        assertThat(only(pair.peer()).receiving()).isTrue();
        assertThat(only(pair.back()).sending()).isTrue();
        assertThat(only(pair.back()).demand()).isZero();
        pair.near().close().block(Patience.LIMIT);
        assertThat(pair.peer().channels().block(Patience.LIMIT)).isEmpty();
    }

    private static boolean isEmpty(PeerStats stats) {
        return stats.channels() == 0
                && stats.queuedMessages() == 0
                && stats.queuedBytes() == 0
                && stats.demand() == 0
                && stats.creditItems() == 0
                && stats.creditBytes() == 0;
    }
}
