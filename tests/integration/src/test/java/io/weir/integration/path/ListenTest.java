package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Listening;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** A running node listens at further addresses. */
class ListenTest implements OnRoute {

    private static final PeerAddress ANY_PORT = new PeerAddress("127.0.0.1", 0);

    @Test
    void peersConnectToAFurtherAddressUntilItIsDisposed(Nodes nodes) {
        Node far = nodes.start("far");
        PeerAddress first = far.address();
        Listening further = listen(far);

        assertThat(further.address().port()).isNotZero();
        assertThat(far.addresses()).containsExactly(first, further.address());
        Node near = nodes.start("near");
        Peer peer = Objects.requireNonNull(near.connect(further.address()).block(Patience.LIMIT));
        Pair pair = new Pair(near, far, peer);
        pair.settle();

        further.dispose();
        Patience.until("the port is free", further::isDisposed);
        assertThat(far.addresses()).containsExactly(first);
        StepVerifier.create(nodes.start("late").connect(further.address()))
                .expectError(PeerUnavailable.class)
                .verify(Patience.LIMIT);
        pair.settle();
    }

    @Test
    void aPortThatIsTakenIsNamed(Nodes nodes) {
        Node node = nodes.start("node");
        StepVerifier.create(node.listen(node.address()))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Misconfigured.class)
                        .hasMessageContaining(node.address().toString()))
                .verify(Patience.LIMIT);
        assertThat(node.addresses()).hasSize(1);
    }

    @Test
    void beyondItsHostANodeDoesNotListenJustLikeThat(Nodes nodes) {
        Node node = nodes.start("node");
        StepVerifier.create(node.listen(PeerAddress.parse("tcp://0.0.0.0:0")))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Misconfigured.class)
                        .hasMessageContaining("tcp://0.0.0.0:0")
                        .hasMessageContaining("weir.security.secret"))
                .verify(Patience.LIMIT);
    }

    @Test
    void closingTheNodeEndsWhatItListensAt(Nodes nodes) {
        Node node = nodes.start("node");
        Listening further = listen(node);
        node.close().block(Patience.LIMIT);
        assertThat(further.isDisposed()).isTrue();
        assertThatThrownBy(() -> node.listen(ANY_PORT).block(Patience.LIMIT)).isInstanceOf(IllegalStateException.class);
    }

    private static Listening listen(Node node) {
        return Objects.requireNonNull(node.listen(ANY_PORT).block(Patience.LIMIT));
    }
}
