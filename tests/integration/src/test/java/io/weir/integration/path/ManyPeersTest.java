package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Repath;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.SessionLost;
import io.weir.core.Waiting;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.tck.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One node with many peers over shared memory, most of which are idle: whoever has something to say is heard. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class ManyPeersTest implements OnRoute {

    private static final int MANY = 24;
    /** Enough that idle links become quiet. */
    private static final int SOME = 14;

    /** Far longer than an answer takes. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private static final Codec<String> TEXT = Codecs.text();
    private static final String ECHO = "answer";

    private static NodeSpec.Builder shm(NodeSpec.Builder spec) {
        return spec.order("shm").path("shm", PathSwitch.REQUIRED);
    }

    private static NodeSpec.Builder shmOrTcpOnce(NodeSpec.Builder spec) {
        return spec.order("shm", "tcp").repath(Repath.ONCE);
    }

    @Override
    public Route route() {
        return Route.SHM;
    }

    /** One peer of the hub. */
    private record Spoke(int number, Node node, Peer hub, Peer fromHub) {

        Mono<String> askHub(String port, String question) {
            return hub.ask(port, question, TEXT, TEXT)
                    .timeout(SOON)
                    .onErrorMap(error -> new AssertionError(number + " asks the hub: " + error, error));
        }

        Mono<String> isAsked(String port, String question) {
            return fromHub.ask(port, question, TEXT, TEXT)
                    .timeout(SOON)
                    .onErrorMap(error -> new AssertionError("the hub asks " + number + ": " + error, error));
        }

        String path() {
            return hub.path().chosen().orElseThrow().path();
        }
    }

    /** The hub and its peers. Every second one was connected to by the hub, the others have connected to it. */
    private static final class Star {

        final Nodes nodes;
        final Node hub;
        final List<Spoke> spokes = new ArrayList<>();

        Star(Nodes nodes, UnaryOperator<NodeSpec.Builder> ofHub) {
            this.nodes = nodes;
            this.hub = nodes.start("hub", ofHub);
            var unused = hub.answer(ECHO, Mono::just);
        }

        static Star of(int count, Nodes nodes) {
            Star star = new Star(nodes, spec -> shm(spec).waiting(Waiting.LATENCY));
            for (int i = 0; i < count; i++) {
                star.add(i, ManyPeersTest::shm);
            }
            assertThat(star.spokes).allMatch(spoke -> spoke.path().equals("shm"));
            return star;
        }

        Spoke add(int number, UnaryOperator<NodeSpec.Builder> ofPeer) {
            Node node = nodes.start("peer-" + number, ofPeer);
            var unused = node.answer(ECHO, Mono::just);
            Spoke spoke = number % 2 == 0 ? called(number, node) : calling(number, node);
            spokes.add(spoke);
            return spoke;
        }

        private Spoke calling(int number, Node node) {
            Peer there = Objects.requireNonNull(node.connect(hub.address()).block(Patience.LIMIT));
            return new Spoke(number, node, there, known(hub, node));
        }

        private Spoke called(int number, Node node) {
            Peer there = Objects.requireNonNull(hub.connect(node.address()).block(Patience.LIMIT));
            return new Spoke(number, node, known(node, hub), there);
        }

        private static Peer known(Node by, Node who) {
            Patience.until(
                    () -> by.id() + " knows " + who.id(),
                    () -> by.connected().stream().anyMatch(peer -> peer.id().equals(who.id())));
            return by.connected().stream()
                    .filter(peer -> peer.id().equals(who.id()))
                    .findFirst()
                    .orElseThrow();
        }

        boolean knows(Spoke spoke) {
            return hub.connected().stream()
                    .anyMatch(peer -> peer.id().equals(spoke.node().id()));
        }

        /** Waits until the hub has noticed that this one has gone. */
        void noticesTheEndOf(Spoke spoke) {
            Patience.until(() -> "the hub misses " + spoke.number(), () -> !knows(spoke));
            Patience.until(
                    () -> "nobody is left at " + spoke.number(),
                    () -> spoke.node().connected().isEmpty());
            spokes.remove(spoke);
        }

        /** Each asks the hub. */
        Flux<String> allAsk(String question) {
            return Flux.fromIterable(spokes)
                    .flatMap(spoke -> spoke.askHub(ECHO, question + spoke.number()), spokes.size());
        }

        /** The hub asks each. */
        Flux<String> allAreAsked(String question) {
            return Flux.fromIterable(spokes)
                    .flatMap(spoke -> spoke.isAsked(ECHO, question + spoke.number()), spokes.size());
        }

        void served(String question) {
            String[] expected =
                    spokes.stream().map(spoke -> question + spoke.number()).toArray(String[]::new);
            assertThat(listed(allAsk(question))).containsExactlyInAnyOrder(expected);
            assertThat(listed(allAreAsked(question))).containsExactlyInAnyOrder(expected);
        }
    }

    private static <T> List<T> listed(Flux<T> answers) {
        return Objects.requireNonNull(answers.collectList().block(Patience.LIMIT));
    }

    private static <T> T done(Mono<T> answer) {
        return Objects.requireNonNull(answer.block(Patience.LIMIT));
    }

    /** Long enough for every link to become quiet. Nothing is wrong if it does not. */
    private static void idle() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void whoHasBeenIdleIsHeard(Nodes nodes) {
        Star star = Star.of(MANY, nodes);
        for (int round = 0; round < 2; round++) {
            // All at once.
            idle();
            star.served("all in round " + round + " ");

            // One after the other, with everybody else idle; from a thread that is no loop.
            idle();
            for (Spoke spoke : star.spokes) {
                assertThat(done(spoke.askHub(ECHO, "one"))).isEqualTo("one");
            }
            idle();
            for (Spoke spoke : star.spokes) {
                assertThat(done(spoke.isAsked(ECHO, "you"))).isEqualTo("you");
            }

            // The same in a chain, which goes on from the loops.
            idle();
            assertThat(listed(Flux.fromIterable(star.spokes).concatMap(spoke -> spoke.askHub(ECHO, "one"), 0)))
                    .hasSize(MANY);
            idle();
            assertThat(listed(Flux.fromIterable(star.spokes).concatMap(spoke -> spoke.isAsked(ECHO, "you"), 0)))
                    .hasSize(MANY);
        }
        passedOn(star);
    }

    /** The hub's loop sends to a link that is quiet, for another one that was quiet. */
    private static void passedOn(Star star) {
        star.hub.answer(
                "pass on",
                TEXT,
                TEXT,
                number -> star.spokes.get(Integer.parseInt(number)).isAsked(ECHO, number));
        for (int round = 0; round < 2; round++) {
            idle();
            for (int i = 0; i < MANY; i++) {
                String other = Integer.toString((i + 7) % MANY);
                assertThat(done(star.spokes.get(i).askHub("pass on", other))).isEqualTo(other);
            }
            idle();
            int shift = round + 1;
            assertThat(listed(Flux.fromIterable(star.spokes)
                            .flatMap(
                                    spoke -> spoke.askHub("pass on", Integer.toString((spoke.number() + shift) % MANY)),
                                    MANY)))
                    .hasSize(MANY)
                    .doesNotHaveDuplicates();
        }
    }

    /** Many times, each link is asked for something just when it is about to become quiet. */
    @Test
    void pausesAboutAsLongAsALinkStaysAwake(Nodes nodes) {
        Star star = Star.of(SOME, nodes);
        SplittableRandom random = Seed.random("pauses");
        for (int i = 0; i < 120; i++) {
            Spoke spoke = star.spokes.get(random.nextInt(4));
            long pause = random.nextLong(300_000, 1_700_000);
            for (long end = System.nanoTime() + pause; System.nanoTime() - end < 0; ) {
                Thread.onSpinWait();
            }
            Mono<String> ask = random.nextBoolean() ? spoke.askHub(ECHO, "?") : spoke.isAsked(ECHO, "?");
            assertThat(done(ask)).isEqualTo("?");
        }
        // The first ones have hardly had a rest, the others nothing else.
        star.served("after all ");
    }

    /** One peer sends and receives without a pause, another one reads slowly, the others ask now and then. */
    @Test
    void oneStreamsWhileOthersAsk(Nodes nodes) {
        Star star = Star.of(MANY, nodes);
        star.hub.serve("stream", channel -> channel.send(channel.receive()));
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong readings = new AtomicLong();
        star.hub.stream(
                "readings",
                TEXT,
                TEXT,
                prefix -> Flux.<String, Long>generate(() -> 0L, (i, sink) -> {
                    sink.next(prefix + i);
                    return i + 1;
                }));

        star.spokes.get(0).node().serve("echo-stream", channel -> channel.send(channel.receive()));
        var stream = new Streamed(star.spokes.get(0).hub(), "stream");
        var back = new Streamed(star.spokes.get(0).fromHub(), "echo-stream");
        Probe<String> reading =
                Probe.of(Long.MAX_VALUE, value -> assertThat(value).isEqualTo("n" + readings.getAndIncrement()));
        star.spokes.get(1).hub().stream("readings", "n", TEXT, TEXT)
                .limitRate(16)
                .takeUntil(value -> over.get())
                .subscribe(reading);

        SplittableRandom random = Seed.random("who asks beside a stream");
        List<Flux<String>> askers = new ArrayList<>();
        for (Spoke spoke : star.spokes.subList(2, MANY)) {
            SplittableRandom own = random.split();
            askers.add(Flux.range(0, 20)
                    .concatMap(
                            i -> Mono.delay(Duration.ofNanos(own.nextLong(40_000_000)))
                                    .then(Mono.defer(() -> own.nextBoolean()
                                            ? spoke.askHub(ECHO, spoke.number() + " " + i)
                                            : spoke.isAsked(ECHO, spoke.number() + " " + i)))
                                    .doOnNext(answer -> assertThat(answer).isEqualTo(spoke.number() + " " + i)),
                            0));
        }
        List<String> answers = listed(Flux.merge(Flux.fromIterable(askers), askers.size(), 1));

        assertThat(answers).hasSize(20 * (MANY - 2));
        stream.end();
        back.end();
        over.set(true);
        reading.awaitComplete();
        assertThat(readings.get()).isGreaterThan(1000);
    }

    /** A stream of short parcels to a port that sends them back. */
    private static final class Streamed {

        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicLong next = new AtomicLong();
        private final AtomicLong made = new AtomicLong();
        private final Probe<String> back;

        Streamed(Peer peer, String port) {
            back = Probe.of(Long.MAX_VALUE, value -> assertThat(value).isEqualTo("message " + next.getAndIncrement()));
            Flux<String> source = Flux.<String>generate(sink -> {
                if (over.get()) {
                    sink.complete();
                } else {
                    sink.next("message " + made.getAndIncrement());
                }
            });
            source.transform(peer.stage(port, TEXT, TEXT)).limitRate(256).subscribe(back);
        }

        void end() {
            back.awaitReceived(1000);
            over.set(true);
            back.awaitComplete();
            assertThat(next.get()).isEqualTo(made.get());
        }
    }

    /** The first thing that goes over each link, after it has been idle, is long; and later ones, too. */
    @Test
    void longPayloadsAfterAPause(Nodes nodes) {
        Star star = Star.of(SOME, nodes);
        List<Spoke> those = star.spokes;
        // The first of a link, for both directions and both kinds of memory: peers 0 to 3, 4 to 7, and 8 to 11.
        idle();
        echoEach(those.subList(0, 4), 9 * MIB, 4);
        echoEach(those.subList(4, 8), MIB, 4);
        echoEach(those.subList(8, 12), 100 * KIB, 4);
        // What is short, and then long.
        star.served("between ");
        for (int size : List.of(100 * KIB, MIB)) {
            idle();
            echoEach(those, size, 16);
        }
        idle();
        echoEach(those.subList(0, 2), 9 * MIB, 1);
        star.served("in the end ");
    }

    /** Sends a payload there and back, so many of them at once. Who sends it, and from which memory, goes by turns. */
    private static void echoEach(List<Spoke> spokes, int size, int atOnce) {
        Long right = Flux.fromIterable(spokes)
                .flatMap(
                        spoke -> echo(spoke.number() % 4 < 2 ? spoke.hub() : spoke.fromHub(), spoke.number(), size),
                        atOnce)
                .count()
                .block(Patience.LIMIT);
        assertThat(right).isEqualTo(spokes.size());
    }

    private static Mono<Boolean> echo(Peer peer, int number, int size) {
        return Mono.defer(() -> {
            byte[] content = new byte[size];
            new SplittableRandom(31L * number + size).nextBytes(content);
            ByteBuf payload =
                    number % 2 == 0 ? Payloads.direct(size) : peer.allocator().buffer(size, size);
            return peer.ask(ECHO, Message.of(payload.writeBytes(content)))
                    .timeout(SOON)
                    .onErrorMap(error -> new AssertionError(size + " bytes, " + number + ": " + error, error))
                    .map(answer -> {
                        byte[] there = new byte[answer.size()];
                        answer.payload().getBytes(answer.payload().readerIndex(), there);
                        answer.release();
                        assertThat(Arrays.mismatch(there, content))
                                .as("where %d bytes differ for %d", size, number)
                                .isEqualTo(-1);
                        return true;
                    });
        });
    }

    /** However an idle peer goes, the hub notices, and what was asked of it fails. The others do not. */
    @Test
    void whoGoesWhileIdleIsMissed(Nodes nodes) {
        Star star = Star.of(SOME + 8, nodes);
        UnaryOperator<NodeSpec.Builder> never = spec -> shm(spec).repath(Repath.OFF);
        List<Spoke> all = List.copyOf(star.spokes);
        // These two have connected, so it is their order and their rule that counts.
        Spoke cutHere = star.add(SOME + 9, never);
        Spoke cutThere = star.add(SOME + 11, never);
        for (Spoke spoke : star.spokes) {
            spoke.node().answer("never", TEXT, TEXT, question -> Mono.never());
        }
        star.served("before ");

        gone(star, all.get(0), all.get(0).node().close());
        gone(star, all.get(1), all.get(1).node().close());
        gone(star, all.get(2), all.get(2).hub().close());
        gone(star, all.get(3), all.get(3).fromHub().close());
        // Those say nothing, so the hub waits a while for another connection of theirs.
        List<Spoke> silent = List.of(all.get(4), cutHere, cutThere);
        List<Probe<String>> asked =
                silent.stream().map(ManyPeersTest::neverAnswered).toList();
        idle();
        Mono.when(
                        all.get(4).node().kill(),
                        cutHere.hub().cut(),
                        cutThere.fromHub().cut())
                .block(Patience.LIMIT);
        silent.forEach(star::noticesTheEndOf);
        asked.forEach(each -> assertThat(each.awaitError()).isInstanceOf(SessionLost.class));
        star.served("without them ");

        // Several at once.
        idle();
        List<Spoke> leaving = all.subList(5, 10);
        Flux.fromIterable(leaving)
                .flatMap(spoke -> spoke.node().close(), leaving.size())
                .then()
                .block(Patience.LIMIT);
        leaving.forEach(star::noticesTheEndOf);
        star.served("without those ");

        // A link that is cut is replaced by another one.
        for (Spoke spoke : all.subList(10, 14)) {
            idle();
            int here = spoke.hub().pathHistory().size();
            int there = spoke.fromHub().pathHistory().size();
            (spoke.number() < 12 ? spoke.hub() : spoke.fromHub()).cut().block(Patience.LIMIT);
            Patience.until(
                    () -> "both have another link: " + spoke.hub().pathHistory(),
                    () -> spoke.hub().pathHistory().size() > here
                            && spoke.fromHub().pathHistory().size() > there);
            assertThat(spoke.path()).isEqualTo("shm");
            idle();
            assertThat(done(spoke.askHub(ECHO, "here"))).isEqualTo("here");
            idle();
            assertThat(done(spoke.isAsked(ECHO, "there"))).isEqualTo("there");
        }
        idle();
        star.served("with new links ");

        star.add(100, ManyPeersTest::shm);
        star.add(101, ManyPeersTest::shm);
        idle();
        star.served("with new peers ");
    }

    /** It goes in this way, when it has been idle and owes an answer to the hub. */
    private static void gone(Star star, Spoke spoke, Mono<Void> going) {
        Probe<String> asked = neverAnswered(spoke);
        idle();
        going.block(Patience.LIMIT);
        star.noticesTheEndOf(spoke);
        assertThat(asked.awaitError()).isInstanceOf(SessionLost.class);
    }

    private static Probe<String> neverAnswered(Spoke spoke) {
        Probe<String> asked = Probe.of(1, answer -> {});
        spoke.fromHub().ask("never", "?", TEXT, TEXT).subscribe(asked);
        return asked;
    }

    /** Memory for a few links only: the others go over tcp, and all are served. */
    @Test
    void littleMemory(Nodes nodes) {
        Star star = new Star(nodes, spec -> shmOrTcpOnce(spec).transportOption("shm", "memory", "8m"));
        for (int i = 0; i < MANY; i++) {
            star.add(i, ManyPeersTest::shmOrTcpOnce);
        }
        assertThat(star.spokes)
                .extracting(Spoke::path)
                .containsOnly("shm", "tcp")
                .contains("shm", "tcp");
        idle();
        star.served("first ");
        echoEach(star.spokes, MIB, 16);
        echoEach(star.spokes.subList(0, 2), 9 * MIB, 1);
        idle();
        star.served("then ");

        // What those have had who go is there for others.
        List<Spoke> overShm =
                star.spokes.stream().filter(spoke -> spoke.path().equals("shm")).toList();
        for (Spoke spoke : overShm) {
            spoke.node().close().block(Patience.LIMIT);
            star.noticesTheEndOf(spoke);
        }
        int number = MANY;
        for (int i = 0; i < overShm.size(); i++) {
            Spoke spoke = star.add(number++, ManyPeersTest::shmOrTcpOnce);
            assertThat(spoke.path())
                    .as("path of new peer %d of %d", i, overShm.size())
                    .isEqualTo("shm");
        }
        idle();
        echoEach(star.spokes.subList(star.spokes.size() - overShm.size(), star.spokes.size()), MIB, 16);
        star.served("in the end ");
    }
}
