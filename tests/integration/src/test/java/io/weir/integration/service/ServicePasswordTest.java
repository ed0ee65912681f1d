package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.config.ServiceSettings;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.integration.Blackboard;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.service.ServiceClient;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceInstance;
import io.weir.tck.Seed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * A service with a password: who knows it is served, who does not learns nothing, and neither side is believed without
 * a proof.
 */
class ServicePasswordTest implements OnRoute {

    private static final Codec<String> TEXT = Codecs.text();
    private static final String WORDS = "correct horse battery";
    private static final String OTHERS = "wrong donkey charger";
    private static final Password RIGHT = Password.of(WORDS);
    private static final Password WRONG = Password.of(OTHERS);

    private final Blackboard board = new Blackboard();
    private final AtomicInteger served = new AtomicInteger();

    private Services services(Node node) {
        return Services.of(node, board.of(node));
    }

    private Registration vault(Node node) {
        return vault(services(node), ServiceSpec.of("vault").withPassword(RIGHT));
    }

    private Registration vault(Services services, ServiceSpec spec) {
        return get(services.answer(spec, TEXT, TEXT, asked -> {
            served.incrementAndGet();
            return Mono.just("gold");
        }));
    }

    private static <T> T get(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    private static String open(ServiceClient vault) {
        return get(vault.ask("?", TEXT, TEXT));
    }

    private ServiceClient knowing(Node node, Password password) {
        return services(node).service("vault", as -> as.withPassword(password).withPatience(Patience.LIMIT));
    }

    private void isNotServed() {
        assertThat(served).hasValue(0);
    }

    @Test
    void whoKnowsItIsServed(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.service("vault", ServiceSettings.STANDARD.withPassword(RIGHT)));
        Services there = services(far);
        Registration vault = vault(there, ServiceSpec.of("vault"));
        assertThat(vault.instance().password()).isTrue();
        var echo = get(
                there.serve(ServiceSpec.of("echo").withPassword(WRONG), channel -> channel.send(channel.receive())));
        Node near = nodes.start("near", spec -> spec.service("vault", ServiceSettings.STANDARD.withPassword(RIGHT)));
        Services here = services(near);
        assertThat(open(here.service("vault"))).isEqualTo("gold");
        assertThat(Mono.just("a")
                        .flux()
                        .transform(here.service("echo", as -> as.withPassword(WRONG))
                                .stage(TEXT, TEXT))
                        .blockLast(Patience.LIMIT))
                .isEqualTo("a");
    }

    /** On another connection it is proved again, and a service that is served again wants it again. */
    @Test
    void aProofIsForOneConnection(Nodes nodes) {
        Node far = nodes.start("far");
        Services there = services(far);
        Registration vault = vault(there, ServiceSpec.of("vault").withPassword(RIGHT));
        Node near = nodes.start("near");
        ServiceClient client = knowing(near, RIGHT);
        assertThat(open(client)).isEqualTo("gold");
        Peer first = near.connected().get(0);
        assertThat(get(first.ask("vault", "?", TEXT, TEXT))).isEqualTo("gold");
        first.close().block(Patience.LIMIT);
        Peer second = get(near.connect(far.address()));
        Node stranger = nodes.start("stranger");
        assertThatThrownBy(() -> get(get(stranger.connect(far.address())).ask("vault", "?", TEXT, TEXT)))
                .isInstanceOf(Refused.class);
        assertThat(open(client)).isEqualTo("gold");
        assertThat(near.connected()).containsExactly(second);

        vault.withdraw().block(Patience.LIMIT);
        var again = vault(there, ServiceSpec.of("vault").withPassword(WRONG));
        assertThatThrownBy(() -> get(second.ask("vault", "?", TEXT, TEXT))).isInstanceOf(Refused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"another", "none here", "none there"})
    void whoDoesNotKnowItIsNot(String what, Nodes nodes) {
        try (LogLines logged = LogLines.everything()) {
            Node far = nodes.start("far");
            ServiceSpec spec = ServiceSpec.of("vault");
            var vault = vault(services(far), what.equals("none there") ? spec : spec.withPassword(RIGHT));
            Node near = nodes.start("near");
            ServiceClient client = what.equals("none here") ? services(near).service("vault") : knowing(near, WRONG);
            assertThatThrownBy(() -> open(client))
                    .isInstanceOf(AuthenticationFailed.class)
                    .hasMessageContaining("weir.services.vault.password-file")
                    .hasMessageNotContainingAny(WORDS, OTHERS);
            isNotServed();
            if (!what.equals("none here")) {
                logged.await(Level.WARN, "The password of service 'vault' was not proved by near-");
            }
            assertThat(logged.texts()).noneMatch(text -> text.contains(WORDS) || text.contains(OTHERS));
            assertThat(client + near.spec().toString() + far.spec() + spec.withPassword(RIGHT) + vault.instance())
                    .doesNotContain(WORDS);
        }
    }

    @Test
    void whoDoesNotAskIsNot(Nodes nodes) {
        Pair pair = nodes.pair();
        Services there = services(pair.far());
        var vault = vault(there, ServiceSpec.of("vault").withPassword(RIGHT));
        var echo = get(
                there.serve(ServiceSpec.of("echo").withPassword(RIGHT), channel -> channel.send(channel.receive())));
        Peer peer = pair.peer();
        assertThatThrownBy(() -> get(peer.channel("echo")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("weir.services.echo.password-file");
        assertThatThrownBy(() -> get(peer.ask("vault", Message.of(Payloads.heap(10)))))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("weir.services.vault.password-file");
        peer.tell("vault", Message.of(Payloads.heap(10))).block(Patience.LIMIT);
        pair.settle();
        isNotServed();
    }

    /** What was said once to prove it, again and in other ways. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "again",
                "on another knock",
                "from another node",
                "for another service",
                "the server's own code",
                "of another client",
                "without a knock"
            })
    void whatDoesNotProveIt(String what, Nodes nodes) {
        Pair pair = nodes.pair();
        Services there = services(pair.far());
        var vault = vault(there, ServiceSpec.of("vault").withPassword(RIGHT));
        if (what.equals("for another service")) {
            var other = vault(there, ServiceSpec.of("other").withPassword(RIGHT));
        }
        Peer peer = pair.peer();
        HandKnock knock = HandKnock.at(peer, what.equals("for another service") ? "other" : "vault");
        byte[] right = knock.code(RIGHT, 'C', pair.near().id(), peer.id());
        if (what.equals("again") || what.equals("from another node") || what.equals("on another knock")) {
            assertThat(HandKnock.say(peer, knock.proof(right)))
                    .isEqualTo(HandKnock.join(
                            new byte[] {4}, knock.code(RIGHT, 'S', pair.near().id(), peer.id())));
            assertThat(get(peer.ask("vault", "?", TEXT, TEXT))).isEqualTo("gold");
            served.set(0);
        }
        Peer trying = what.equals("from another node")
                ? get(nodes.start("another").connect(pair.far().address()))
                : peer;
        byte[] said = switch (what) {
            case "again" -> knock.proof(right);
            case "on another knock" -> HandKnock.at(peer, "vault").proof(right);
            case "from another node" -> HandKnock.at(trying, "vault").proof(right);
            case "for another service" -> HandKnock.at(peer, "vault").proof(right);
            case "the server's own code" ->
                knock.proof(knock.code(RIGHT, 'S', pair.near().id(), peer.id()));
            case "of another client" ->
                knock.proof(knock.code(RIGHT, 'C', pair.far().id(), peer.id()));
            default -> HandKnock.join(new byte[] {3}, new byte[32], right);
        };
        assertThatThrownBy(() -> HandKnock.say(trying, said)).isInstanceOfAny(Refused.class, RemoteFailure.class);
        if (!what.equals("again") && !what.equals("on another knock")) {
            assertThatThrownBy(() -> get(trying.ask("vault", "?", TEXT, TEXT))).isInstanceOf(Refused.class);
            isNotServed();
        }
    }

    /** It answers as if it were the vault, by knocking at the vault with whatever it is told. */
    @Test
    void whoStandsBetweenIsRefused(Nodes nodes) {
        Node far = nodes.start("far");
        Registration vault = vault(far);
        Node between = nodes.start("between");
        Peer there = get(between.connect(far.address()));
        between.answer(HandKnock.PORT, said -> there.ask(HandKnock.PORT, said));
        between.answer("vault", asked -> there.ask("vault", asked));
        board.wipe(vault.instance());
        board.write(new ServiceInstance(
                "vault", between.id(), List.of(between.address()), "vault", true, List.of(), Map.of()));
        assertThatThrownBy(() -> open(knowing(nodes.start("near"), RIGHT))).isInstanceOf(AuthenticationFailed.class);
        assertThatThrownBy(() -> get(there.ask("vault", "?", TEXT, TEXT))).isInstanceOf(Refused.class);
        isNotServed();
    }

    /** Whoever poses as the vault gets one proof at most, and nothing is sent to it. */
    @ParameterizedTest
    @ValueSource(strings = {"few iterations", "many iterations", "empty", "long", "echo", "wrong code", "silence"})
    void whoPosesAsTheService(String what, Nodes nodes) {
        Node poser = nodes.start("poser");
        byte[] challenge = ByteBuffer.allocate(1 + 32 + 16 + 4)
                .put(0, (byte) 2)
                .putInt(
                        49,
                        switch (what) {
                            case "few iterations" -> 99_999;
                            case "many iterations" -> 1_000_001;
                            default -> 100_000;
                        })
                .array();
        poser.answer("vault", TEXT, TEXT, asked -> {
            served.incrementAndGet();
            return Mono.just("brass");
        });
        poser.answer(HandKnock.PORT, said -> {
            boolean knocks = said.payload().getByte(said.payload().readerIndex()) == 1;
            if (what.equals("echo")) {
                return Mono.just(said);
            }
            said.release();
            return switch (what) {
                case "silence" -> Mono.never();
                case "empty" -> Mono.empty();
                case "long" -> Mono.just(Message.of(Payloads.heap(100_000).writeZero(100_000)));
                default ->
                    Mono.just(Message.of(
                            knocks
                                    ? challenge
                                    : ByteBuffer.allocate(33).put(0, (byte) 4).array()));
            };
        });
        board.write(new ServiceInstance(
                "vault", poser.id(), List.of(poser.address()), "vault", false, List.of(), Map.of()));
        boolean silent = what.equals("silence");
        Node near = nodes.start("near", spec -> silent ? spec.handshakeTimeout(Duration.ofMillis(500)) : spec);
        ServiceClient client = services(near)
                .service(
                        "vault",
                        as -> as.withPassword(RIGHT).withPatience(silent ? Duration.ofSeconds(1) : Patience.LIMIT));
        assertThatThrownBy(() -> open(client))
                .isInstanceOf(silent ? PeerUnavailable.class : AuthenticationFailed.class)
                .hasMessageContaining(
                        switch (what) {
                            case "few iterations" -> "99999 iterations";
                            case "many iterations" -> "1000001 iterations";
                            case "wrong code" -> "has not proved the password itself";
                            case "silence" -> "weir.timeout.handshake";
                            default -> "an answer";
                        });
        isNotServed();
    }

    /** A node that is just starting or closing is no wrong password: whoever calls waits, and knocks again. */
    @Test
    void aPortThatIsNotThereYet(Nodes nodes) {
        Node far = nodes.start("far");
        board.write(new ServiceInstance("vault", far.id(), List.of(far.address()), "vault", true, List.of(), Map.of()));
        Node near = nodes.start("near");
        Probe<String> asking = Probe.of(1, answer -> assertThat(answer).isEqualTo("gold"));
        knowing(near, RIGHT).ask("?", TEXT, TEXT).subscribe(asking);
        Patience.until("it is connected", () -> near.connected().size() == 1);
        Peer peer = near.connected().get(0);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> HandKnock.at(peer, "vault"))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining("nobody serves port 'weir.service'");
        }

        var vault = vault(far);

        asking.awaitComplete();
    }

    /** Bytes that are no knock: an error for who has sent them, and nothing else. */
    @Test
    void nonsense(Nodes nodes) {
        Pair pair = nodes.pair();
        var vault = vault(pair.far());
        SplittableRandom random = Seed.random("nonsense");
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(i % 2 == 0 ? 70 : 300)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) (i % 5);
            }
            if (bytes.length > 33) {
                // Not by chance the beginning of a name.
                bytes[33] = ' ';
            }
            Mono<Message> answer = pair.peer()
                    .ask(HandKnock.PORT, Message.of(Payloads.heap(bytes.length).writeBytes(bytes)));
            assertThatThrownBy(() -> get(answer)).isInstanceOfAny(Refused.class, RemoteFailure.class);
        }
        byte[] name = HandKnock.join(new byte[] {1}, new byte[32], "va\nult".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> HandKnock.say(pair.peer(), name)).hasMessageContaining("names no service");
        assertThat(open(knowing(pair.near(), RIGHT))).isEqualTo("gold");
    }

    /** A service that is not here looks like one whose password is wrong. */
    @Test
    void nobodyLearnsWhichServicesThereAre(Nodes nodes) {
        Pair pair = nodes.pair();
        var vault = vault(pair.far());
        byte[] code = new byte[32];
        String[] texts = {"vault", "cellar"};
        for (int i = 0; i < texts.length; i++) {
            String service = texts[i];
            HandKnock knock = HandKnock.at(pair.peer(), service);
            assertThat(knock.salt).isEqualTo(HandKnock.at(pair.peer(), service).salt);
            try {
                HandKnock.say(pair.peer(), knock.proof(code));
            } catch (RemoteFailure e) {
                texts[i] = String.valueOf(e.getMessage()).replace(service, "it");
            }
        }
        assertThat(texts[0]).isEqualTo(texts[1]).contains("was not proved");
    }

    @Test
    void guessesAreFew(Nodes nodes) {
        Pair pair = nodes.pair();
        var vault = vault(pair.far());
        Peer peer = pair.peer();
        for (int i = 0; i < 5; i++) {
            HandKnock knock = HandKnock.at(peer, "vault");
            assertThatThrownBy(() -> HandKnock.say(peer, knock.proof(new byte[32])))
                    .hasMessageContaining("not proved");
        }
        HandKnock knock = HandKnock.at(peer, "vault");
        byte[] right = knock.code(RIGHT, 'C', pair.near().id(), peer.id());
        assertThatThrownBy(() -> HandKnock.say(peer, knock.proof(right)))
                .isInstanceOf(RemoteFailure.class)
                .hasMessageContaining("too many proofs have failed");
        assertThat(open(knowing(nodes.start("another"), RIGHT)))
                .as("nobody else is held up")
                .isEqualTo("gold");
    }

    /** Knocks without a proof are forgotten, the oldest first. */
    @Test
    void knocksAreNotKeptForEver(Nodes nodes) {
        Pair pair = nodes.pair();
        var vault = vault(pair.far());
        Peer peer = pair.peer();
        HandKnock first = HandKnock.at(peer, "vault");
        for (int i = 0; i < 100; i++) {
            var unused = HandKnock.at(peer, "cellar-" + i);
        }
        byte[] right = first.code(RIGHT, 'C', pair.near().id(), peer.id());
        assertThatThrownBy(() -> HandKnock.say(peer, first.proof(right)))
                .as("as for what may be tried again")
                .isInstanceOf(Refused.class)
                .hasMessageContaining("answers no challenge");
        HandKnock last = HandKnock.at(peer, "vault");
        assertThat(HandKnock.say(
                        peer, last.proof(last.code(RIGHT, 'C', pair.near().id(), peer.id()))))
                .startsWith(4);
    }
}
