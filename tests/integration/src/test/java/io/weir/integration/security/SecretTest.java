package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Secret;
import io.weir.core.AuthenticationFailed;
import io.weir.core.FrameKind;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.integration.Route;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import io.weir.peer.Identity;
import io.weir.tck.Seed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/**
 * A shared secret: who knows it is a peer, who does not is shown the door, and neither text nor proof of it gets about.
 */
@Tag("one-jdk")
class SecretTest implements OnRoute {

    private static final int UNPROVED = 2;
    private static final String WORDS = "the-words-that-all-of-them-share";
    private static final String OTHERS = "what-somebody-else-might-say";
    private static final Duration SOON = Duration.ofSeconds(3);

    private static UnaryOperator<NodeSpec.Builder> knows(@Nullable String words) {
        return spec -> words == null ? spec : spec.secret(Secret.of(words));
    }

    private static UnaryOperator<NodeSpec.Builder> knows(String words, String former) {
        return spec -> spec.secret(Secret.of(words)).formerSecret(Secret.of(former));
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void whoKnowsItIsAPeer(Route route, Nodes nodes) {
        Node far = nodes.start(knows(WORDS).apply(route.spec("far")).build());
        Node near = nodes.start(knows(WORDS).apply(route.spec("near")).build());
        Pair pair = nodes.connect(near, far);
        pair.settle();
        Identity there = pair.peer().identity();
        Identity here = pair.back().identity();
        assertThat(there.proved()).isTrue();
        assertThat(there).isEqualTo(new Identity(true, null, "far", there.host()));
        assertThat(here).isEqualTo(new Identity(true, null, "near", there.host()));
        assertThat(there.host()).isNotEmpty();
    }

    @Test
    void withoutASecretNothingIsProved(Nodes nodes) {
        Pair pair = nodes.pair();
        assertThat(pair.peer().identity().proved()).isFalse();
        assertThat(pair.back().identity().proved()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"another", "none here", "none there"})
    void whoDoesNotKnowItIsRefusedAndBothSidesHearWhy(String what, Nodes nodes) {
        try (LogLines logged = LogLines.everything()) {
            Node far = nodes.start("far", knows(what.equals("none there") ? null : WORDS));
            Node near = nodes.start(
                    "near", knows(what.equals("another") ? OTHERS : what.equals("none here") ? null : WORDS));

            StepVerifier.create(near.connect(far.address()))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(AuthenticationFailed.class)
                            .hasMessageContaining("weir.security.secret")
                            .hasMessageContaining("127.0.0.1")
                            .hasMessageNotContainingAny(WORDS, OTHERS))
                    .verify(Patience.LIMIT);

            logged.await(
                    Level.WARN,
                    "An incoming connection came to nothing: an incoming connection from tcp://127.0.0.1:",
                    "weir.security.secret");
            assertThat(far.connected()).isEmpty();
            assertThat(near.connected()).isEmpty();
            assertThat(logged.texts()).noneMatch(text -> text.contains(WORDS) || text.contains(OTHERS));
        }
    }

    /** One node after the other, while all of them talk to each other. */
    @Test
    void aSecretIsChanged(Nodes nodes) {
        Node former = nodes.start("former", knows(OTHERS));
        Node changing = nodes.start("changing", knows(WORDS, OTHERS));
        Node changed = nodes.start("changed", knows(WORDS));
        for (Node[] pair :
                new Node[][] {{former, changing}, {changing, former}, {changing, changed}, {changed, changing}}) {
            Peer peer =
                    Objects.requireNonNull(pair[0].connect(pair[1].address()).block(Patience.LIMIT));
            assertThat(peer.identity().knowsSecret()).isTrue();
            peer.close().block(Patience.LIMIT);
            Patience.until(
                    "the connection has ended",
                    () -> pair[0].connected().isEmpty() && pair[1].connected().isEmpty());
        }
        StepVerifier.create(changed.connect(former.address()))
                .expectError(AuthenticationFailed.class)
                .verify(Patience.LIMIT);
    }

    /** Who shares the former secret, or the new one, gets in on either side. */
    @ParameterizedTest
    @ValueSource(strings = {WORDS, OTHERS})
    void whileItIsChangedEitherIsTaken(String words, Nodes nodes) throws IOException {
        Node node = nodes.start("node", knows(WORDS, OTHERS));
        try (Stranger stranger = Stranger.connect(node.address()).knowing(words).begin()) {
            Patience.until("it is a peer", () -> node.connected().size() == 1);
            assertThat(node.connected().get(0).id()).isEqualTo(stranger.is);
        }
        Patience.until("it has gone", () -> node.connected().isEmpty());
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            stranger.knowing(words).hello();
            stranger.say(stranger.proof());
            Stranger.Arrived proof = stranger.await(FrameKind.PROOF);
            assertThat(proof.body()).as("with two tags").hasSize(Stranger.THIRD_MESSAGE + Stranger.TAG);
            stranger.say(stranger.lastProof(proof.body(), 1));
            assertThat(stranger.await(FrameKind.CARD)).isNotNull();
        })) {
            StepVerifier.create(node.connect(door.address())).expectError().verify(Patience.LIMIT);
        }
    }

    /** Who is in the middle of the change says two tags, and is believed by one of them. */
    @ParameterizedTest
    @CsvSource({WORDS + ',' + OTHERS, OTHERS + ',' + WORDS})
    void whoSaysTwoTagsIsBelievedByOne(String present, String former, Nodes nodes) {
        for (Node node : List.of(nodes.start("one", knows(WORDS)), nodes.start("both", knows(WORDS, OTHERS)))) {
            try (Stranger stranger =
                    Stranger.connect(node.address()).knowing(present, former).begin()) {
                Patience.until("it is a peer", () -> node.connected().size() == 1);
                assertThat(node.connected().get(0).id()).isEqualTo(stranger.is);
            }
        }
    }

    /** What a stranger may try who has no secret, or a recording of somebody who has. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no secret",
                "another secret",
                "two other secrets",
                "the secret of those who have none",
                "random",
                "too short",
                "too long",
                "no tag",
                "hello again",
                "hello of another after the proof",
                "card first",
                "propose first",
                "the node's own words"
            })
    void whatDoesNotProveIt(String what, Nodes nodes) {
        Node node = nodes.start("node", knows(WORDS));
        byte[] random = new byte[Stranger.THIRD_MESSAGE];
        Seed.random("secret").nextBytes(random);
        try (Stranger stranger = Stranger.connect(node.address()).knowing(OTHERS)) {
            switch (what) {
                case "no secret" -> stranger.knowingNone().hello();
                case "the secret of those who have none" -> {
                    stranger.hello();
                    stranger.say(stranger.knowingNone().proof());
                }
                case "another secret" -> {
                    stranger.hello();
                    stranger.say(stranger.proof());
                }
                case "two other secrets" -> {
                    stranger.knowing(OTHERS, "what-nobody-has-ever-said").hello();
                    stranger.say(stranger.proof());
                }
                case "the node's own words" -> {
                    try (Stranger asking = Stranger.connect(node.address()).knowing(OTHERS)) {
                        asking.hello();
                        stranger.hello(asking.await(FrameKind.HELLO).body());
                    }
                    stranger.say(stranger.await(FrameKind.PROOF).body());
                }
                case "hello of another after the proof" -> {
                    stranger.knowing(WORDS).greet();
                    stranger.hello();
                }
                default -> {
                    stranger.hello();
                    switch (what) {
                        case "random" -> stranger.sayInTurn(random);
                        case "too short" -> stranger.sayInTurn(Arrays.copyOf(random, Stranger.THIRD_MESSAGE - 1));
                        case "too long" -> stranger.sayInTurn(new byte[Stranger.THIRD_MESSAGE + Stranger.TAG + 1]);
                        case "no tag" ->
                            stranger.sayInTurn(Arrays.copyOf(random, Stranger.THIRD_MESSAGE - Stranger.TAG));
                        case "hello again" -> stranger.hello();
                        case "card first" -> stranger.card(Map.of("tcp", ""));
                        default -> stranger.propose(1, "tcp");
                    }
                }
            }
            Stranger.Arrived refusal = stranger.refusal();
            boolean unproved = what.equals("no secret")
                    || what.contains("other secret")
                    || what.equals("random")
                    || what.startsWith("the ");
            assertThat(refusal.flags()).isEqualTo(unproved ? UNPROVED : 0);
            assertThat(refusal.text()).doesNotContain(WORDS);
            stranger.awaitEnd();
        }
        nodes.goesOn(node, knows(WORDS));
    }

    /** The same frames that have let somebody in, once more. */
    @Test
    void aRecordedHandshakeIsWorthNothing(Nodes nodes) {
        Node node = nodes.start("node", knows(WORDS));
        byte[] hello;
        byte[] proof;
        try (Stranger peer = Stranger.connect(node.address()).knowing(WORDS)) {
            hello = peer.helloOf(Stranger.MAJOR, 0, Stranger.SECRET);
            peer.hello(hello);
            proof = peer.proof();
            peer.say(proof);
            assertThat(peer.admitted()).isEqualTo(1);
            assertThat(peer.await(FrameKind.CARD)).isNotNull();
        }
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello(hello);
            stranger.sayInTurn(proof);
            assertThat(stranger.refusal().flags()).isEqualTo(UNPROVED);
            stranger.awaitEnd();
        }
        nodes.goesOn(node, knows(WORDS));
    }

    /**
     * Whoever is dialled passes on, unchanged, what he does not know himself, to come in elsewhere as who has dialled
     * him.
     */
    @Test
    void aProofIsNotPassedOn(Nodes nodes) throws IOException {
        try (LogLines logged = LogLines.everything()) {
            Node far = nodes.start("far", knows(WORDS));
            Node near = nodes.start("near", knows(WORDS));
            Pair other = nodes.connect(nodes.start("other", knows(WORDS)), far);
            try (Relay between = new Relay(far.address())) {
                StepVerifier.create(near.connect(between.address()))
                        .expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(AuthenticationFailed.class)
                                .hasMessageContaining("'" + between.address() + "'")
                                .hasMessageContaining("weir.advertise of " + far.id()))
                        .verify(Patience.LIMIT);
                other.settle();
            }
            logged.await(Level.WARN, "An incoming connection came to nothing", "weir.advertise");
            assertThat(far.connected()).hasSize(1);
            nodes.connect(near, far).settle();
        }
    }

    /** What stands in between belongs to who runs the node, as an address translation does. */
    @Test
    void aProofIsPassedOnByWhatIsAdvertised(Nodes nodes) throws IOException {
        Node former = nodes.start("former", knows(WORDS));
        former.close().block(Patience.LIMIT);
        try (Relay between = new Relay(former.address())) {
            Node far = nodes.start(
                    "far",
                    spec -> knows(WORDS)
                            .apply(spec)
                            .listen(former.address().toString())
                            .advertise(between.address().toString()));
            Node near = nodes.start("near", knows(WORDS));
            Peer peer = Objects.requireNonNull(near.connect(between.address()).block(Patience.LIMIT));
            new Pair(near, far, peer).settle();
        }
    }

    @Test
    void whoSaysHelloAndProvesNothingIsNotAwaitedForEver(Nodes nodes) {
        Node node = nodes.start("node", spec -> knows(WORDS).apply(spec).handshakeTimeout(SOON));
        try (Stranger greeting = Stranger.connect(node.address());
                Stranger half = Stranger.connect(node.address())) {
            greeting.knowing(WORDS).hello();
            half.write(new byte[] {94, 0, 0, 0, 1, 0, 0, 0});
            greeting.awaitEnd();
            half.awaitEnd();
        }
        nodes.goesOn(node, knows(WORDS));
    }

    /** To whoever listens there, a node gives one proof, and nothing for it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no secret",
                "another secret",
                "the secret of those who have none",
                "random",
                "a random end",
                "echo",
                "too long",
                "card",
                "silence",
                "silence after the proof"
            })
    void whoListensAndDoesNotKnowIt(String what, Nodes nodes) throws IOException {
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            stranger.knowing(OTHERS);
            switch (what) {
                case "no secret" -> stranger.knowingNone().hello();
                case "random", "too long", "card", "silence" -> {
                    stranger.hello();
                    switch (what) {
                        case "random" -> stranger.say(new byte[Stranger.SECOND_MESSAGE]);
                        case "too long" -> stranger.say(new byte[Stranger.SECOND_MESSAGE + 1]);
                        case "card" -> stranger.card(Map.of("tcp", ""));
                        default -> {}
                    }
                }
                default -> {
                    stranger.hello();
                    stranger.say(stranger.proof());
                    byte[] proof = stranger.await(FrameKind.PROOF).body();
                    assertThat(proof).hasSize(Stranger.THIRD_MESSAGE);
                    switch (what) {
                        case "another secret" -> stranger.say(stranger.lastProofUnseen(proof));
                        case "the secret of those who have none" ->
                            stranger.say(stranger.knowingNone().lastProofUnseen(proof));
                        case "a random end" -> stranger.say(new byte[Stranger.LAST_MESSAGE]);
                        case "echo" -> stranger.say(proof);
                        default -> {}
                    }
                }
            }
            stranger.awaitEnd();
        })) {
            Node node = nodes.start(
                    "node",
                    spec -> knows(WORDS)
                            .apply(spec)
                            .handshakeTimeout(what.startsWith("silence") ? SOON : Patience.LIMIT));
            StepVerifier.create(node.connect(door.address()))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .hasMessageContaining("127.0.0.1")
                            .hasMessageContaining(
                                    switch (what) {
                                        case "random" -> "what it has sealed can't be opened";
                                        case "silence", "silence after the proof" -> "weir.timeout.handshake";
                                        case "echo", "too long", "card" -> "broke the protocol";
                                        default -> "weir.security.secret";
                                    }))
                    .verify(Patience.LIMIT);
            assertThat(node.connected()).isEmpty();
        }
    }

    /** Neither a node in use, nor one that fails, writes or prints it, at any level of the log. */
    @Test
    void itIsNeverWrittenOrPrinted(Nodes nodes) {
        try (LogLines logged = LogLines.everything()) {
            Node far = nodes.start("far", knows(WORDS, OTHERS));
            Node near = nodes.start("near", knows(WORDS, OTHERS));
            Pair pair = nodes.connect(near, far);
            pair.settle();
            String printed = String.join(
                    "\n",
                    near.spec().toString(),
                    near.spec().security().toString(),
                    near.toString(),
                    pair.peer().toString(),
                    pair.peer().identity().toString(),
                    pair.peer().path().toString(),
                    String.valueOf(near.spec().toBuilder().build()));
            assertThat(printed).doesNotContain(WORDS).doesNotContain(OTHERS).contains("weir.security.secret");
            near.close().block(Patience.LIMIT);
            assertThat(logged.texts())
                    .isNotEmpty()
                    .noneMatch(text -> text.contains(WORDS) || text.contains(OTHERS))
                    .noneMatch(text -> text.contains(hex(WORDS)));
        }
    }

    private static String hex(String words) {
        StringBuilder text = new StringBuilder();
        for (byte each : words.getBytes(StandardCharsets.UTF_8)) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }
}
