package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.core.AuthenticationFailed;
import io.weir.core.FrameKind;
import io.weir.core.ProtocolMismatch;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import io.weir.tck.Authority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** The key exchange of a handshake in which one side, or somebody in between, does not do what it should. */
@Tag("one-jdk")
class ExchangeTest implements OnRoute {

    private static final String HERE = "127.0.0.1";
    private static final int UNPROVED = 2;
    private static final String NOT_OPENED = "what it has sealed can't be opened";

    // Public halves with which everybody gets zeros: of small order, and the same above 2^255 - 19.
    private static final String ZERO = "0000000000000000000000000000000000000000000000000000000000000000";
    private static final String ONE = "0100000000000000000000000000000000000000000000000000000000000000";
    private static final String OF_ORDER_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
    private static final String ALSO_OF_ORDER_8 = "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157";
    private static final String MINUS_ONE = "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
    private static final String ZERO_AGAIN = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
    private static final String ONE_AGAIN = "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
    private static final String ZERO_AND_THE_HIGHEST_BIT =
            "0000000000000000000000000000000000000000000000000000000000000080";

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    /** Two nodes that are connected, and whose session lives on, whatever happens at the door of the first. */
    private static Node beside(Nodes nodes, Consumer<Node> meanwhile) {
        Node node = nodes.start("node");
        Pair pair = nodes.connect(nodes.start("other"), node);
        meanwhile.accept(node);
        pair.settle();
        assertThat(node.connected()).hasSize(1);
        return node;
    }

    /** What the node says to one who connects and does this. */
    private static Stranger.Arrived refusal(Node node, Consumer<Stranger> acting) {
        try (Stranger stranger = Stranger.connect(node.address())) {
            acting.accept(stranger);
            Stranger.Arrived refusal = stranger.refusal();
            stranger.awaitEnd();
            return refusal;
        }
    }

    /** What becomes of the node's connecting to one who does this. */
    private static void fails(Node node, Consumer<Stranger> acting, Class<? extends Throwable> type, String... texts)
            throws IOException {
        try (StrangersDoor door = new StrangersDoor(acting)) {
            isNotReached(node, door.address(), type, texts);
        }
    }

    /** The same for one who says HELLO, then this, and is refused with these flags. */
    private static void refuses(
            Node node, int flags, Consumer<Stranger> acting, Class<? extends Throwable> type, String... texts)
            throws IOException {
        fails(
                node,
                stranger -> {
                    stranger.hello();
                    acting.accept(stranger);
                    assertThat(stranger.refusal().flags()).isEqualTo(flags);
                    stranger.awaitEnd();
                },
                type,
                texts);
    }

    private static void isNotReached(Node node, String address, Class<? extends Throwable> type, String... texts) {
        StepVerifier.create(node.connect(address))
                .expectErrorSatisfies(
                        error -> assertThat(error).isInstanceOf(type).hasMessageContainingAll(texts))
                .verify(Patience.LIMIT);
    }

    private static byte[] changed(byte[] proof, int at) {
        byte[] other = proof.clone();
        other[at] ^= 1;
        return other;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ZERO,
                ONE,
                OF_ORDER_8,
                ALSO_OF_ORDER_8,
                MINUS_ONE,
                ZERO_AGAIN,
                ONE_AGAIN,
                ZERO_AND_THE_HIGHEST_BIT
            })
    void anEphemeralKeyWithWhichEverybodyKnowsTheOutcome(String open, Nodes nodes) throws IOException {
        Node node = beside(
                nodes,
                it -> assertThat(refusal(
                                        it,
                                        stranger -> stranger.hello(stranger.helloOf(Stranger.MAJOR, 0, 0, bytes(open))))
                                .flags())
                        .isZero());
        fails(
                node,
                stranger -> {
                    stranger.hello(stranger.helloOf(Stranger.MAJOR, 0, 0, bytes(open)));
                    stranger.say(new byte[Stranger.SECOND_MESSAGE]);
                    assertThat(stranger.refusal().flags()).isZero();
                    stranger.awaitEnd();
                },
                ProtocolMismatch.class,
                HERE);
        assertThat(node.connected()).hasSize(1);
    }

    /** Its id is made of that key, and everybody could prove that he has it. */
    @ParameterizedTest
    @ValueSource(strings = {ZERO, ONE, OF_ORDER_8, ZERO_AGAIN, ZERO_AND_THE_HIGHEST_BIT})
    void aKeyWithWhichEverybodyKnowsTheOutcome(String open, Nodes nodes) throws IOException {
        Node node = beside(nodes, it -> {
            try (Stranger stranger =
                    Stranger.ofSmallOrder(new Socket(HERE, it.address().port()), bytes(open))) {
                stranger.hello();
                stranger.say(stranger.proof());
                assertThat(stranger.refusal().flags()).isZero();
                stranger.awaitEnd();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (ServerSocket listening = new ServerSocket(0)) {
            var connecting = node.connect(HERE + ':' + listening.getLocalPort()).toFuture();
            try (Stranger stranger = Stranger.acceptingOfSmallOrder(listening.accept(), bytes(open))) {
                stranger.hello();
                stranger.say(stranger.proof());
                assertThat(stranger.refusal().flags()).isZero();
                stranger.awaitEnd();
            }
            assertThat(connecting).failsWithin(Patience.LIMIT);
        }
        assertThat(node.connected()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, 17, 32, 47, 48, 63, 65, 79, 80, 81, 96, 4_000})
    void aProofOfAnotherLengthByWhoConnects(int length, Nodes nodes) {
        Node node = beside(nodes, it -> {
            Stranger.Arrived refusal = refusal(it, stranger -> {
                stranger.hello();
                stranger.say(Arrays.copyOf(stranger.proof(), length));
            });
            assertThat(refusal.flags()).isZero();
            assertThat(refusal.text()).contains("PROOF");
        });
        assertThat(node.connected()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 17, 48, 63, 65, 80, 4_000})
    void aFirstProofOfAnotherLengthByWhoAccepts(int length, Nodes nodes) throws IOException {
        refuses(
                nodes.start("node"),
                0,
                stranger -> stranger.say(Arrays.copyOf(stranger.proof(), length)),
                ProtocolMismatch.class,
                HERE,
                "PROOF");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, 18, 64, 4_000})
    void aLastProofOfAnotherLength(int length, Nodes nodes) throws IOException {
        refuses(
                nodes.start("node"),
                0,
                stranger -> {
                    stranger.say(stranger.proof());
                    stranger.say(Arrays.copyOf(stranger.lastProof(1), length));
                },
                ProtocolMismatch.class,
                HERE,
                "PROOF");
    }

    @Test
    void aProofBeforeHello(Nodes nodes) throws IOException {
        byte[] proof = new byte[Stranger.THIRD_MESSAGE];
        Node node = beside(nodes, it -> {
            try (Stranger stranger = Stranger.connect(it.address())) {
                stranger.say(proof);
                stranger.awaitEnd();
            }
        });
        fails(
                node,
                stranger -> {
                    stranger.say(proof);
                    stranger.awaitEnd();
                },
                ProtocolMismatch.class,
                HERE);
    }

    /** It can't be made of what the node has not said yet. Whether there is a place for it depends on who is faster. */
    @Test
    void aProofThatDoesNotWait(Nodes nodes) {
        Node node = beside(
                nodes,
                it -> assertThat(refusal(it, stranger -> {
                            stranger.hello();
                            stranger.say(new byte[Stranger.THIRD_MESSAGE]);
                        }))
                        .isNotNull());
        assertThat(node.connected()).hasSize(1);
    }

    /** Both at once, or the second one when it is admitted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProofTwiceByWhoConnects(boolean admitted, Nodes nodes) {
        Node node = beside(nodes, it -> {
            Stranger.Arrived refusal = refusal(it, stranger -> {
                stranger.hello();
                byte[] proof = stranger.proof();
                stranger.say(proof);
                if (admitted) {
                    assertThat(stranger.admitted()).isEqualTo(1);
                }
                stranger.say(proof);
            });
            assertThat(refusal.flags()).isZero();
            assertThat(refusal.text()).contains("PROOF");
        });
        assertThat(node.connected()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"the first one", "the first one when the other has answered", "the last one"})
    void aProofTwiceByWhoAccepts(String what, Nodes nodes) throws IOException {
        refuses(
                nodes.start("node"),
                0,
                stranger -> {
                    byte[] proof = stranger.proof();
                    stranger.say(proof);
                    switch (what) {
                        case "the first one" -> stranger.say(proof);
                        case "the last one" -> {
                            byte[] last = stranger.lastProof(1);
                            stranger.say(last);
                            stranger.say(last);
                        }
                        default -> {
                            assertThat(stranger.lastProof(1)).hasSize(Stranger.LAST_MESSAGE);
                            stranger.say(proof);
                        }
                    }
                },
                ProtocolMismatch.class,
                HERE,
                "PROOF");
    }

    /** In the key that is sealed, and in each tag. */
    @ParameterizedTest
    @ValueSource(ints = {0, 31, 32, 47, 48, 63})
    void aChangedBitInAProof(int at, Nodes nodes) throws IOException {
        Node node = beside(nodes, it -> {
            Stranger.Arrived refusal = refusal(it, stranger -> {
                stranger.hello();
                stranger.say(changed(stranger.proof(), at));
            });
            assertThat(refusal.flags()).isEqualTo(UNPROVED);
            assertThat(refusal.text()).contains(NOT_OPENED);
        });
        refuses(
                node,
                UNPROVED,
                stranger -> stranger.say(changed(stranger.proof(), at)),
                AuthenticationFailed.class,
                NOT_OPENED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16})
    void aChangedBitInTheLastProof(int at, Nodes nodes) throws IOException {
        refuses(
                nodes.start("node"),
                UNPROVED,
                stranger -> {
                    stranger.say(stranger.proof());
                    stranger.say(changed(stranger.lastProof(1), at));
                },
                AuthenticationFailed.class,
                NOT_OPENED);
    }

    /** Only one bit of what it says means something, and whoever connects goes on with either. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0xfe, 0xff})
    void whatTheLastProofSays(int said, Nodes nodes) throws IOException {
        Node node = nodes.start("node");
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            stranger.hello();
            stranger.say(stranger.proof());
            stranger.say(stranger.lastProof(said));
            assertThat(stranger.await(FrameKind.CARD)).isNotNull();
        })) {
            StepVerifier.create(node.connect(door.address())).expectError().verify(Patience.LIMIT);
        }
    }

    @Test
    void whetherWhatWasDialledLeadsToTheNode(Nodes nodes) throws IOException {
        Node node = nodes.start("node");
        try (Stranger direct = Stranger.connect(node.address())) {
            direct.hello();
            direct.say(direct.proof());
            assertThat(direct.admitted()).isEqualTo(1);
        }
        try (Meddler between = new Meddler(node.address(), body -> {}, body -> {});
                Stranger passedOn = Stranger.over(socket(between.address()))) {
            passedOn.hello();
            passedOn.say(passedOn.proof());
            assertThat(passedOn.admitted()).isZero();
        }
        nodes.goesOn(node);
    }

    private static Socket socket(String address) throws IOException {
        return new Socket(HERE, Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }

    /** Of what a HELLO says. */
    private enum Part {
        MINOR_VERSION,
        RESERVED,
        FOR_A_SESSION,
        UNKNOWN_FEATURE,
        ID,
        INCARNATION,
        NAME,
        KEY,
        HIGHEST_BIT_OF_THE_KEY,
        DIALLED,
        HOST;

        void changeIn(byte[] body) {
            int key = Stranger.keyIn(body);
            switch (this) {
                case MINOR_VERSION -> body[5] ^= 1;
                case RESERVED -> body[6] ^= 1;
                case FOR_A_SESSION -> body[8] ^= (byte) Stranger.AGAIN;
                case UNKNOWN_FEATURE -> body[15] ^= 0x40;
                case ID -> body[16] ^= 1;
                case INCARNATION -> body[32] ^= 1;
                case NAME -> body[42] ^= 1;
                case KEY -> body[key] ^= 1;
                case HIGHEST_BIT_OF_THE_KEY -> body[key + 31] ^= (byte) 0x80;
                case DIALLED -> body[key + 32 + 2] ^= 1;
                // The last text ends a few bytes before the frame, which is filled up.
                case HOST -> body[body.length - 10] ^= 1;
            }
        }
    }

    /** Both have heard what the other one has not said, and neither lets the other one in. */
    @ParameterizedTest
    @CsvSource({
        "MINOR_VERSION, true",
        "MINOR_VERSION, false",
        "RESERVED, true",
        "RESERVED, false",
        "FOR_A_SESSION, true",
        "FOR_A_SESSION, false",
        "UNKNOWN_FEATURE, true",
        "UNKNOWN_FEATURE, false",
        "ID, true",
        "ID, false",
        "INCARNATION, true",
        "INCARNATION, false",
        "NAME, true",
        "NAME, false",
        "KEY, true",
        "KEY, false",
        "HIGHEST_BIT_OF_THE_KEY, true",
        "HIGHEST_BIT_OF_THE_KEY, false",
        "DIALLED, true",
        "HOST, true"
    })
    void aChangedBitInHello(Part part, boolean ofWhoConnects, Nodes nodes) throws IOException {
        Node far = nodes.start("far");
        Node near = nodes.start("near");
        Pair pair = nodes.connect(near, far);
        Consumer<byte[]> none = body -> {};
        try (LogLines log = LogLines.everything();
                Meddler between = new Meddler(
                        far.address(), ofWhoConnects ? part::changeIn : none, ofWhoConnects ? none : part::changeIn)) {
            isNotReached(near, between.address(), AuthenticationFailed.class, NOT_OPENED);
            log.await(Level.WARN, "An incoming connection came to nothing", NOT_OPENED);
        }
        pair.settle();
        assertThat(far.connected()).hasSize(1);
        assertThat(near.connected()).containsExactly(pair.peer());
    }

    /** Each takes him for the other one, as far as certificates go, and what he says does not belong to this. */
    @Test
    void whoEndsTheEncryptionInBetween(@TempDir Path folder, Nodes nodes) throws Exception {
        Authority authority = Authority.in(folder, "Ours");
        Node far = TlsTalk.start(nodes, "far", authority.tls(authority.issue("far", HERE)));
        Node near = TlsTalk.start(nodes, "near", authority.tls(authority.issue("near", HERE)));
        char[] sesame = "sesame".toCharArray();
        var store = authority.store(authority.issue("between", HERE), sesame);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, sesame);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        try (LogLines log = LogLines.everything();
                Meddler between =
                        new Meddler(far.address(), context.getServerSocketFactory(), context.getSocketFactory())) {
            isNotReached(
                    near,
                    between.address(),
                    AuthenticationFailed.class,
                    NOT_OPENED,
                    "somebody in between ends the encryption");
            log.await(Level.WARN, "An incoming connection came to nothing", NOT_OPENED);
        }
        assertThat(far.connected()).isEmpty();
        var unused = TlsTalk.talks(near, far);
    }
}
