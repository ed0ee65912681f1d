package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortSpecTest {

    private static final Identity MEMBER = new Identity(true, null, "till", "host");
    private static final Identity OWNER = new Identity(false, "CN=till,O=shop", "anything", "host");
    private static final Identity CLAIMANT = new Identity(false, null, "till", "host");

    private static PortSpec allowing(String... entries) {
        return new PortSpec(PathPolicy.unchanged(), Set.of(entries));
    }

    @Test
    void everybodyIfNothingIsSaidAndNobodyIfTheListIsEmpty() {
        assertThat(new PortSpec(PathPolicy.unchanged()).permits(CLAIMANT)).isTrue();
        assertThat(allowing().permits(MEMBER)).isFalse();
    }

    @Test
    void aPrincipalIsProvedByACertificateAlone() {
        PortSpec port = allowing("CN=till,O=shop");
        assertThat(port.permits(OWNER)).isTrue();
        assertThat(port.permits(MEMBER)).isFalse();
        assertThat(port.permits(new Identity(true, null, "CN=till,O=shop", "host")))
                .isFalse();
        assertThat(port.permits(new Identity(true, "CN=till", "till", "host"))).isFalse();
    }

    @Test
    void aNameCountsForWhoKnowsTheSecret() {
        PortSpec port = allowing("name:till");
        assertThat(port.permits(MEMBER)).isTrue();
        assertThat(port.permits(CLAIMANT)).isFalse();
        assertThat(port.permits(new Identity(false, "name:till", "till", "host")))
                .isFalse();
        assertThat(port.permits(new Identity(false, "CN=x", "till", "host"))).isFalse();
        assertThat(port.permits(new Identity(true, null, "till-2", "host"))).isFalse();
        assertThat(allowing("till").permits(MEMBER)).isFalse();
    }

    @Test
    void refusesEmptyEntries() {
        assertThatThrownBy(() -> allowing("")).isInstanceOf(Misconfigured.class);
        assertThatThrownBy(() -> allowing("name:")).isInstanceOf(Misconfigured.class);
    }
}
