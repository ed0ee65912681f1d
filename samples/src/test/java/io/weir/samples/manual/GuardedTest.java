package io.weir.samples.manual;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Secret;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Refused;
import io.weir.peer.Arrival;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What docs/security.md shows does what the page says. */
class GuardedTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Codec<String> TEXT = Codecs.text();

    @TempDir
    Path folder;

    private static Mono<String> refund(Peer peer) {
        return peer.ask("refunds", "7", TEXT, TEXT);
    }

    private static Mono<String> greeting(Peer peer) {
        return peer.channel("prices").flatMap(channel -> channel.receive(TEXT).next());
    }

    @Test
    void whoMayDoWhat() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "nGk1ZJtV0c5tX7zKXo3wUQ==\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Secret secret = Secret.ofFile(file);
        Node billing = start(Guarded.spec(file, "tcp://127.0.0.1:0"));
        Guarded.serve(billing);
        Node till = start(NodeSpec.builder().name("till").secret(secret).build());
        Node tillTwo = start(NodeSpec.builder().name("till-2").secret(secret).build());
        Node ledger = start(NodeSpec.builder().name("ledger").secret(secret).build());
        try {
            Peer ofTill = Objects.requireNonNull(till.connect(billing.address()).block(LIMIT));
            assertThat(refund(ofTill).block(LIMIT)).isEqualTo("7");
            assertThat(greeting(ofTill).block(LIMIT)).isEqualTo("good morning, till");
            for (Node other : new Node[] {tillTwo, ledger}) {
                Peer peer =
                        Objects.requireNonNull(other.connect(billing.address()).block(LIMIT));
                assertThat(greeting(peer).block(LIMIT))
                        .isEqualTo("good morning, " + other.spec().name());
                StepVerifier.create(refund(peer)).expectError(Refused.class).verify(LIMIT);
            }
        } finally {
            for (Node each : new Node[] {till, tillTwo, ledger, billing}) {
                each.close().block(LIMIT);
            }
        }
    }

    @Test
    void whoProvesNothingRaisesAnAlarm() {
        List<String> alarms = new CopyOnWriteArrayList<>();
        Guarded.Alarms listener = new Guarded.Alarms(alarms::add);
        Node billing = start(NodeSpec.builder()
                .name("billing")
                .secret(Secret.of("nGk1ZJtV0c5tX7zKXo3wUQ=="))
                .build());
        Node stranger = start(NodeSpec.builder().name("stranger").build());
        try {
            CompletableFuture<Arrival> first =
                    billing.arrivals().doOnNext(listener::arrived).next().toFuture();
            StepVerifier.create(stranger.connect(billing.address()))
                    .expectError(AuthenticationFailed.class)
                    .verify(LIMIT);
            assertThat(first).succeedsWithin(LIMIT);
            assertThat(alarms)
                    .singleElement()
                    .asString()
                    .startsWith("tcp://127.0.0.1:")
                    .contains("weir.security.secret");
        } finally {
            stranger.close().block(LIMIT);
            billing.close().block(LIMIT);
        }
    }

    private static Node start(NodeSpec spec) {
        return Objects.requireNonNull(Node.start(spec).block(LIMIT));
    }
}
