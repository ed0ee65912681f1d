package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.service.directory.ServiceInstance;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.discovery.simple.InstanceProperties;
import org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryClient;
import org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryProperties;
import reactor.test.StepVerifier;

class DiscoveryClientDirectoryTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final SimpleReactiveDiscoveryProperties known = new SimpleReactiveDiscoveryProperties();
    private final DiscoveryClientDirectory directory =
            new DiscoveryClientDirectory(new SimpleReactiveDiscoveryClient(known), Duration.ofMillis(5));

    private static InstanceProperties instance(Map<String, String> metadata) {
        InstanceProperties instance = new InstanceProperties();
        instance.setServiceId("tax");
        instance.setUri(URI.create("http://web.example:8080"));
        instance.getMetadata().putAll(metadata);
        return instance;
    }

    private void knows(InstanceProperties... instances) {
        known.setInstances(Map.of("tax", List.of(instances)));
    }

    @Test
    void whatHasAnAddressOfWeirIsAnInstance() {
        knows(
                instance(Map.of()),
                instance(Map.of("weir.address", "nowhere")),
                instance(Map.of(
                        "weir.address", "tcp://a:1, b:2", "weir.port", "taxes", "weir.password", "true", "zone", "x")));
        StepVerifier.create(directory.instances("tax"))
                .assertNext(instances -> assertThat(instances).singleElement().satisfies(it -> {
                    assertThat(it.addresses()).containsExactly(new PeerAddress("a", 1), new PeerAddress("b", 2));
                    assertThat(it.port()).isEqualTo("taxes");
                    assertThat(it.password()).isTrue();
                    assertThat(it.attributes()).isEqualTo(Map.of("zone", "x"));
                    assertThat(it.isIdentified()).isFalse();
                }))
                .thenCancel()
                .verify(LIMIT);
    }

    @Test
    void changesAreToldUntilTheEnd() {
        knows();
        StepVerifier.create(directory.instances("tax"))
                .expectNext(List.of())
                .then(() -> knows(instance(Map.of("weir.address", "a:1"))))
                .expectNext(List.of(ServiceInstance.at("tax", new PeerAddress("a", 1))))
                .then(() -> directory.close().block(LIMIT))
                .expectComplete()
                .verify(LIMIT);
        StepVerifier.create(directory.members()).expectComplete().verify(LIMIT);
        assertThat(directory.snapshot()).isEmpty();
    }

    @Test
    void itOnlyReads() {
        ServiceInstance tax = ServiceInstance.at("tax", new PeerAddress("a", 1));
        assertThatThrownBy(() -> directory.announce(tax).block(LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("a directory over Spring Cloud can't announce 'tax': let Spring Cloud register the"
                        + " application, with weir.address in its metadata");
        assertThatThrownBy(() -> directory.attributes(Map.of()).block(LIMIT)).isInstanceOf(Misconfigured.class);
    }
}
