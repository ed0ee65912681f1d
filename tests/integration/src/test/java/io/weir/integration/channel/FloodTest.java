package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.Secret;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Many who come at once: the sessions that there are do not notice, and a peer still gets in. */
class FloodTest implements OnRoute {

    private static final int OVERLOADED = 4;
    private static final int ROOM = 8;
    private static final String WORDS = "the-words-that-all-of-them-share";
    private static final Secret SECRET = Secret.of(WORDS);

    @ParameterizedTest
    @ValueSource(strings = {"silent", "half a hello", "hello and no proof"})
    void whoOnlyStandsInTheDoorKeepsNobodyOut(String what, Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.secret(SECRET).maxHandshakes(ROOM));
        Pair pair = nodes.connect(nodes.start("near", spec -> spec.secret(SECRET)), far);
        Node late = nodes.start("late", spec -> spec.secret(SECRET));
        List<Stranger> flood = new ArrayList<>();
        try {
            for (int i = 0; i < 5 * ROOM; i++) {
                Stranger stranger = Stranger.connect(far.address()).knowing(WORDS);
                flood.add(stranger);
                switch (what) {
                    case "half a hello" -> stranger.write(new byte[] {94, 0, 0, 0, 1, 0, 0, 0});
                    case "hello and no proof" -> {
                        stranger.hello();
                        assertThat(stranger.await(FrameKind.PROOF)).isNotNull();
                    }
                    default -> {}
                }
                // What it has said was read when the node has answered others since.
                pair.settle();
            }
            for (Stranger first : flood.subList(0, 4 * ROOM)) {
                Stranger.Arrived refusal = first.refusal();
                assertThat(refusal.flags()).isEqualTo(OVERLOADED);
                assertThat(refusal.text()).contains("weir.max.handshakes=" + ROOM);
                first.awaitEnd();
            }
            StepVerifier.create(late.connect(far.address()).flatMap(peer -> peer.ask("echo", Message.of("?"))))
                    .expectErrorMessage(far.id() + ": nobody serves port 'echo' here; it serves [quiet]")
                    .verify(Patience.LIMIT);
            pair.settle();
        } finally {
            flood.forEach(Stranger::close);
        }
        assertThat(far.connected()).hasSize(2);
    }

    /**
     * Where a secret has to be proved, many more than the rate allows may say HELLO, from the same host: they are not
     * who is counted.
     */
    @Test
    void whoProvesNothingUsesUpNothingOfTheRate(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.secret(SECRET).maxHandshakeRate(2));
        Pair pair = nodes.connect(nodes.start("near", spec -> spec.secret(SECRET)), far);
        List<Stranger> flood = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Stranger stranger = Stranger.connect(far.address()).knowing("what-somebody-else-might-say");
                flood.add(stranger);
                stranger.hello();
                if (i % 2 == 0) {
                    stranger.say(stranger.proof());
                }
                assertThat(stranger.await(i % 2 == 0 ? FrameKind.REFUSE : FrameKind.PROOF))
                        .isNotNull();
                pair.settle();
            }
            nodes.connect(nodes.start("late", spec -> spec.secret(SECRET)), far).settle();
            pair.settle();
        } finally {
            flood.forEach(Stranger::close);
        }
    }

    /** Whoever comes too often is told so, in a way that can be tried again; who has a session does not count. */
    @Test
    void moreThanTheRateAllows(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.maxHandshakeRate(1));
        var echo = far.answer("echo", Mono::just);
        try (Stranger known = Stranger.inSession(far.address())) {
            Patience.until("the session has begun", () -> far.connected().size() == 1);
            boolean refused = false;
            while (!refused) {
                try (Stranger stranger = Stranger.connect(far.address())) {
                    stranger.hello();
                    stranger.say(stranger.proof());
                    Stranger.Arrived answer = stranger.read();
                    while (answer != null && answer.kind() == FrameKind.PROOF) {
                        answer = stranger.read();
                    }
                    refused = answer != null && answer.kind() == FrameKind.REFUSE;
                    assertThat(!refused
                                    || (answer.flags() == OVERLOADED
                                            && answer.text().contains("handshake-rate=1")))
                            .isTrue();
                }
            }
            try (Stranger again = known.again(far.address())) {
                again.greet();
                assertThat(again.await(FrameKind.CARD)).isNotNull();
            }
        }
        Node near = nodes.start("near");
        StepVerifier.create(near.connect(far.address())
                        .retryWhen(Retry.indefinitely().filter(error -> error instanceof Overloaded))
                        .flatMap(peer -> peer.ask("echo", Message.of("?")))
                        .doOnNext(Message::release)
                        .then())
                .expectComplete()
                .verify(Patience.LIMIT);
    }
}
