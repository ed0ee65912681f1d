package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PeerSpec;
import io.weir.core.Codecs;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A node that is prepared first and opened later. */
class OpeningTest implements OnRoute {

    private static Node prepared(String name) {
        return Objects.requireNonNull(
                Node.prepare(Route.any(name).order("tcp").build()).block(Patience.LIMIT));
    }

    private static void answerUpper(Node node) {
        var unused =
                node.answer("upper", Codecs.text(), Codecs.text(), text -> Mono.just(Objects.toString(text) + '!'));
    }

    /** Long enough for most connections; if it was too short, nothing is noticed. */
    private static void rest() {
        Mono.delay(Duration.ofMillis(100)).then().block();
    }

    @Test
    void whoComesBeforeItIsOpenFindsEverythingServed(Nodes nodes) {
        Node far = prepared("far");
        try {
            Node near = nodes.start("near");
            CompletableFuture<Peer> connecting = near.connect(far.address()).toFuture();
            rest();
            assertThat(connecting).isNotDone();
            assertThat(far.connected()).isEmpty();

            answerUpper(far);
            far.open().block(Patience.LIMIT);

            Peer peer = Mono.fromFuture(connecting).block(Patience.LIMIT);
            assertThat(Objects.requireNonNull(peer)
                            .ask("upper", "now", Codecs.text(), Codecs.text())
                            .block(Patience.LIMIT))
                    .isEqualTo("now!");
        } finally {
            far.close().block(Patience.LIMIT);
        }
    }

    @Test
    void itConnectsBeforeItIsOpen(Nodes nodes) {
        Node far = nodes.start("far");
        answerUpper(far);
        Node near = prepared("near");
        try {
            Peer peer = near.connect(far.address()).block(Patience.LIMIT);
            assertThat(Objects.requireNonNull(peer)
                            .ask("upper", "out", Codecs.text(), Codecs.text())
                            .block(Patience.LIMIT))
                    .isEqualTo("out!");
        } finally {
            near.close().block(Patience.LIMIT);
        }
    }

    @Test
    void whoWaitsIsTurnedAwayWhenItCloses(Nodes nodes) {
        Node far = prepared("far");
        Node near = nodes.start("near");
        CompletableFuture<Peer> connecting = near.connect(far.address()).toFuture();
        rest();

        far.close().block(Patience.LIMIT);

        assertThatThrownBy(() -> Mono.fromFuture(connecting).block(Patience.LIMIT))
                .isInstanceOfAny(Refused.class, PeerUnavailable.class);
    }

    @Test
    void aRequiredPeerThatIsAwayClosesIt() {
        Node node = Objects.requireNonNull(Node.prepare(Route.any("near")
                        .peer("far", PeerSpec.of("tcp://127.0.0.1:1").with(PeerSpec.Connect.REQUIRED))
                        .startTimeout(Duration.ofMillis(200))
                        .build())
                .block(Patience.LIMIT));

        assertThatThrownBy(() -> node.open().block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("far");

        node.closed().block(Patience.LIMIT);
    }

    @Test
    void openTwiceIsOpenOnce(Nodes nodes) {
        Node far = nodes.start("far");
        far.open().block(Patience.LIMIT);
        assertThat(nodes.start("near").connect(far.address()).block(Patience.LIMIT))
                .isNotNull();
    }
}
