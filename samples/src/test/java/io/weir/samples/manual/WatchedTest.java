package io.weir.samples.manual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.weir.channel.ContextEntries;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.WeirObservations;
import io.weir.config.DirectoryKind;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class WatchedTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Codec<String> TEXT = Codecs.text();

    private static Node start(String name) {
        NodeSpec spec = NodeSpec.builder()
                .name(name)
                .listen("tcp://127.0.0.1:0")
                .directory(DirectoryKind.OFF)
                .order("local")
                .build();
        return await(Node.start(spec));
    }

    private static <T> T await(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(PATIENCE));
    }

    @Test
    void callsAreWatched() {
        Node server = start("server");
        Node client = start("client");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        Queue<KeyValue> tenants = new ConcurrentLinkedQueue<>();
        Watched.observe(client, meters);
        server.intercept(new Watched.Failures(failures::add));
        server.intercept(ContextEntries.of("tenant"));
        server.intercept(new WeirObservations(registry(tenants), null, new Watched.WithTenant()));
        server.answer(
                "who",
                TEXT,
                TEXT,
                text -> Mono.deferContextual(context -> Mono.just(context.getOrDefault("tenant", "nobody"))));
        server.answer("fail", TEXT, TEXT, text -> Mono.error(new IllegalStateException("no")));
        Peer peer = await(client.connect(server.address()));

        Mono<String> call = Mono.defer(() -> peer.ask("who", "?", TEXT, TEXT));
        assertThat(await(Watched.tenant(client, call))).isEqualTo("acme");
        var unused =
                await(peer.ask("who", Message.of("?").with("tenant", "acme")).doOnNext(Message::release));
        assertThatThrownBy(() -> await(peer.ask("fail", "?", TEXT, TEXT))).hasMessageContaining("no");

        assertThat(meters.get("weir.client.calls").tag("port", "who").timer().count())
                .isEqualTo(2);
        assertThat(failures).singleElement().asString().contains("fail has failed");
        assertThat(tenants).extracting(KeyValue::getValue).isEqualTo(List.of("acme"));
        client.close().block(PATIENCE);
        server.close().block(PATIENCE);
    }

    private static ObservationRegistry registry(Queue<KeyValue> tenants) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStop(Observation.Context context) {
                context.getHighCardinalityKeyValues().forEach(tenants::add);
            }
        });
        return registry;
    }
}
