package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.Password;
import io.weir.config.ServiceSettings;
import io.weir.core.Misconfigured;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceSpecTest {

    @Test
    void saysWhatItWasTold() {
        ServiceSpec spec = ServiceSpec.of("prices")
                .withPort("p")
                .withPassword(Password.of("correct horse"))
                .withPaths("shm", "tcp")
                .with("zone", "eu")
                .with("version", "2");
        assertThat(spec)
                .isEqualTo(new ServiceSpec(
                        "prices",
                        "p",
                        Password.of("correct horse"),
                        List.of("shm", "tcp"),
                        Map.of("zone", "eu", "version", "2")));
        assertThat(spec.toString()).doesNotContain("correct");
        assertThat(ServiceSpec.of("prices").port()).isEqualTo("prices");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ".prices", "a b", "a/b", "a\nb", "ä"})
    void refusesWhatIsNoName(String name) {
        assertThatThrownBy(() -> ServiceSpec.of(name))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is no name of a service")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "prices.eu-2", "io.weir.Prices$Daily", "0"})
    void takesNames(String name) {
        assertThat(ServiceSpec.of(name).name()).isEqualTo(name);
    }

    @Test
    void optionsOfNoPatience() {
        ServiceOptions options = ServiceOptions.of(ServiceSettings.STANDARD);
        assertThatThrownBy(() -> options.withPatience(Duration.ofMillis(-1))).isInstanceOf(Misconfigured.class);
        assertThat(options.withPassword(Password.of("correct horse")).toString())
                .doesNotContain("correct");
    }
}
