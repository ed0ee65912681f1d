package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import io.weir.integration.Nodes;
import io.weir.integration.Patience;
import reactor.core.publisher.Mono;

/** Nodes that answer over TLS, and whether they talk to each other. */
final class TlsTalk {

    private TlsTalk() {}

    /** A node that answers with what it was asked. */
    static Node start(Nodes nodes, String name, TlsSpec.Builder tls) {
        Node node = nodes.start(name, spec -> spec.tls(tls.build()));
        var unused = node.answer("echo", Mono::just);
        return node;
    }

    static String echo(Peer peer) {
        Message answer = peer.ask("echo", Message.of("hear me")).block(Patience.LIMIT);
        try {
            return answer.text();
        } finally {
            answer.release();
        }
    }

    /** They do; returns who answers. */
    static Peer talks(Node near, Node far) {
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);
        assertThat(echo(peer)).isEqualTo("hear me");
        return peer;
    }

    /** They do not; returns what who connects hears, which names where it has connected to. */
    static WeirException refusal(Node near, Node far) {
        WeirException refusal = catchThrowableOfType(
                WeirException.class, () -> near.connect(far.address()).block(Patience.LIMIT));
        assertThat(refusal).as("the refusal").isNotNull();
        assertThat(refusal).hasMessageContaining("127.0.0.1:" + far.address().port());
        return refusal;
    }
}
