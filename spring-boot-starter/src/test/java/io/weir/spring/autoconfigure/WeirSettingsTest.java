package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** How properties become the settings of a node. */
class WeirSettingsTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    WeirSettingsTest() {
        MutablePropertySources sources = environment.getPropertySources();
        sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private void yaml(String text) throws Exception {
        for (PropertySource<?> source : new YamlPropertySourceLoader()
                .load("application.yml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))) {
            environment.getPropertySources().addLast(source);
        }
    }

    private void variables(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        WeirEnvironmentPostProcessor.add(environment);
    }

    private Map<String, String> ofNode(String... addressed) {
        return WeirSettings.of(environment).ofNode(Set.of(addressed));
    }

    @Test
    void yamlIsReadAsItIsWritten() throws Exception {
        yaml("""
                weir:
                  name: billing
                  listen: [tcp://127.0.0.1:7400, "unix:/tmp/x"]
                  transport:
                    order: shm, tcp
                    verbs: off
                    shm.ring-size: 1m
                  tls: off
                  tls.client-auth: none
                  window:
                    bytes: 8m
                  peers:
                    tax-office:
                      address: tcp://h:1
                      deadline: 2s
                      transport.shm: required
                """);
        assertThat(ofNode("tax-office"))
                .isEqualTo(Map.of(
                        "weir.name", "billing",
                        "weir.listen", "tcp://127.0.0.1:7400, unix:/tmp/x",
                        "weir.transport.order", "shm, tcp",
                        "weir.transport.verbs", "false",
                        "weir.transport.shm.ring-size", "1m",
                        "weir.tls", "false",
                        "weir.tls.client-auth", "none",
                        "weir.window.bytes", "8m",
                        "weir.peers.tax-office.address", "tcp://h:1",
                        "weir.peers.tax-office.transport.shm", "required"));
        assertThat(NodeSpec.builder()
                        .properties(ofNode("tax-office"))
                        .build()
                        .windows()
                        .bytes())
                .isEqualTo(8L << 20);
    }

    @Test
    void namesMayBeWrittenLoosely() {
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "loose",
                        Map.of(
                                "weir.runtimeFolder", "/tmp/w",
                                "weir.transport.shm.ring_size", "1m",
                                "weir.services.com.example.Ledger.wait", "1s")));
        assertThat(ofNode())
                .isEqualTo(Map.of(
                        "weir.runtime-folder", "/tmp/w",
                        "weir.transport.shm.ring-size", "1m",
                        "weir.services.com.example.Ledger.wait", "1s"));
    }

    @Test
    void whatComesFirstWinsAndListsAreNotMixed() {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "first", Map.of("weir.listen", "tcp://127.0.0.1:1", "weir.name", "${x}")));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "second",
                        Map.of("weir.listen[0]", "tcp://127.0.0.1:2", "weir.listen[1]", "tcp://a:3", "x", "y")));
        assertThat(ofNode()).isEqualTo(Map.of("weir.listen", "tcp://127.0.0.1:1", "weir.name", "y"));
    }

    @Test
    void variablesMeanWhatTheyMeanWithoutSpring() throws Exception {
        yaml("""
                weir:
                  peers:
                    Tax_Office.eu:
                      address: tcp://h:1
                """);
        variables(Map.of(
                "WEIR_PEERS_TAX_OFFICE_EU_TRANSPORT_SHM", "required",
                "WEIR_PEERS_TAX_OFFICE_EU_DEADLINE", "3s",
                "WEIR_PEERS_TAX_OFFICE_EU_SSL_BUNDLE", "mine",
                "WEIR_TRANSPORT_SHM_RING_SIZE", "1m",
                "WEIR_TIMEOUT_HEAD_START", "0s"));
        assertThat(ofNode("Tax_Office.eu"))
                .isEqualTo(Map.of(
                        "weir.peers.Tax_Office.eu.address", "tcp://h:1",
                        "weir.peers.Tax_Office.eu.transport.shm", "required",
                        "weir.transport.shm.ring-size", "1m",
                        "weir.timeout.head-start", "0s"));
        WeirSettings settings = WeirSettings.of(environment);
        assertThat(settings.peers()).isEqualTo(Set.of("Tax_Office.eu"));
        assertThat(Objects.requireNonNull(settings.value("weir.peers.Tax_Office.eu.ssl.bundle"))
                        .text())
                .isEqualTo("mine");
        assertThat(String.valueOf(Objects.requireNonNull(settings.value("weir.timeout.head-start"))
                        .origin()))
                .contains("WEIR_TIMEOUT_HEAD_START");
    }

    @Test
    void aPeerWithoutAnAddressIsNotTheNodes() throws Exception {
        yaml("""
                weir.peers.prices:
                  service: prices
                  balance: least-outstanding
                  transport.shm: off
                """);
        assertThat(ofNode()).isEmpty();
        assertThat(List.copyOf(WeirSettings.of(environment).peers())).containsExactly("prices");
    }
}
