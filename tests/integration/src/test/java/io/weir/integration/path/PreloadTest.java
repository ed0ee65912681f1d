package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.integration.Patience;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is loaded ahead of the first node leaves nothing behind. */
class PreloadTest {

    @Test
    void nothingListensAndNoThreadGoesOn() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NodeSpec spec = NodeSpec.builder()
                    .name("preloaded")
                    .properties(Map.of("weir.listen", "tcp://127.0.0.1:" + taken.getLocalPort()))
                    .build();

            Node.preload(spec).block(Patience.LIMIT);

            Patience.until(
                    "its loop has ended",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("weir-preloaded")));
        }
    }

    /** It is told when the node is started. */
    @Test
    void whatIsWrongIsNotToldHere(@TempDir Path folder) {
        NodeSpec spec = NodeSpec.builder()
                .properties(Map.of(
                        "weir.tls", "on",
                        "weir.tls.certificate", folder.resolve("none.pem").toString(),
                        "weir.tls.key", folder.resolve("none.key").toString(),
                        "weir.tls.trust", folder.resolve("none.pem").toString()))
                .build();

        Node.preload(spec).block(Patience.LIMIT);

        assertThatThrownBy(() -> Node.start(spec).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("none.pem");
    }
}
