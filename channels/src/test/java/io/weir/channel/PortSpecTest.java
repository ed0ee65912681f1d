package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.PathPolicy;
import io.weir.config.PortSpec;
import io.weir.core.Misconfigured;
import io.weir.peer.Identity;
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
        assertThat(CLAIMANT.mayUse(new PortSpec(PathPolicy.unchanged()))).isTrue();
        assertThat(MEMBER.mayUse(allowing())).isFalse();
    }

    @Test
    void aPrincipalIsProvedByACertificateAlone() {
        PortSpec port = allowing("CN=till,O=shop");
        assertThat(OWNER.mayUse(port)).isTrue();
        assertThat(MEMBER.mayUse(port)).isFalse();
        assertThat(new Identity(true, null, "CN=till,O=shop", "host").mayUse(port))
                .isFalse();
        assertThat(new Identity(true, "CN=till", "till", "host").mayUse(port)).isFalse();
    }

    @Test
    void aNameCountsForWhoKnowsTheSecret() {
        PortSpec port = allowing("name:till");
        assertThat(MEMBER.mayUse(port)).isTrue();
        assertThat(CLAIMANT.mayUse(port)).isFalse();
        assertThat(new Identity(false, "name:till", "till", "host").mayUse(port))
                .isFalse();
        assertThat(new Identity(false, "CN=x", "till", "host").mayUse(port)).isFalse();
        assertThat(new Identity(true, null, "till-2", "host").mayUse(port)).isFalse();
        assertThat(MEMBER.mayUse(allowing("till"))).isFalse();
    }

    @Test
    void refusesEmptyEntries() {
        assertThatThrownBy(() -> allowing("")).isInstanceOf(Misconfigured.class);
        assertThatThrownBy(() -> allowing("name:")).isInstanceOf(Misconfigured.class);
    }
}
