package io.weir.service.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRulesTest {

    private static boolean allows(String rules, String address) {
        return AddressRules.parse(List.of(rules.split(" "))).allow(PeerAddress.parse(address));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.7:1, true",
        "10.1.0.0/16, 10.2.0.1:1, false",
        "10.1.0.0/16:7400, 10.1.0.1:7400, true",
        "10.1.0.0/16:7400, 10.1.0.1:7401, false",
        "10.1.2.3, 10.1.2.3:99, true",
        "tcp://10.1.2.3:99, 10.1.2.3:98, false",
        "10.1.2.128/25, 10.1.2.127:1, false",
        "0.0.0.0/0, 127.0.0.1:1, true",
        "fd00::/8, [fd12::1]:5, true",
        "[fd00::/8]:6, [fd12::1]:5, false",
        "[::1]:6, [::1]:6, true",
        "10.0.0.0/8, [::ffff:10.0.0.1]:1, true",
        "*, 8.8.8.8:1, true",
        "*, 127.0.0.1:1, false",
        "*, [::1]:1, false",
        "*, [::ffff:127.0.0.1]:1, false",
        "*, 169.254.169.254:80, false",
        "*, 0.0.0.0:1, false",
        "*, 224.0.0.1:1, false",
        "*, unix:/run/other, false",
        "*, 10.1.2.3:1, true",
        "*, [2001:db8::1]:1, true",
        "*, [fd12::1]:1, true",
        "*, 255.255.255.255:1, false",
        "*, 0.1.2.3:1, false",
        "*, [fe80::1]:1, false",
        "*, [fd00:ec2::254]:80, false",
        "*, [fd00:0ec2:0:0::254]:80, false",
        "*, [fd20:ce::254]:80, false",
        "*, [fd00:c1::a9fe:a9fe]:80, false",
        "*, 100.100.100.200:80, false",
        "*, 168.63.129.16:80, false",
        "*, 192.0.0.192:80, false",
        "*, [64:ff9b::8.8.8.8]:1, true",
        "*, [64:ff9b::127.0.0.1]:1, false",
        "*, [64:ff9b::169.254.169.254]:80, false",
        "*, [64:ff9b::a9fe:a9fe]:80, false",
        "*, [64:ff9b::100.100.100.200]:80, false",
        "*, [64:ff9b::224.0.0.1]:1, false",
        "*, [64:ff9b::]:1, false",
        "*, [64:ff9b:1::8.8.8.8]:1, false",
        "*, [64:ff9b:1:7f00:0:100::]:1, false",
        "*, [::8.8.8.8]:1, false",
        "*, [::127.0.0.1]:1, false",
        "*, [::ffff:169.254.169.254]:80, false",
        "*, [::ffff:100.100.100.200]:80, false",
        "*, [::ffff:8.8.8.8]:1, true",
        "*, [2002:7f00:1::]:1, false",
        "*, [2002:808:808::1]:1, false",
        "*, [2001:0:7f00:1::1]:1, false",
        "* fd00:ec2::254, [fd00:ec2::254]:80, true",
        "* 2002::/16, [2002:808:808::1]:1, true",
        "* [64:ff9b:1::/48]:7400, [64:ff9b:1::8.8.8.8]:7400, true",
        "* [64:ff9b:1::/48]:7400, [64:ff9b:1::8.8.8.8]:7401, false",
        "*:7400, 8.8.8.8:7401, false",
        "Ledger.example:7401, ledger.EXAMPLE:7401, true",
        "ledger.example, ledger.example.evil:1, false",
        "*.example, ledger.example:1, true",
        "*.example, example:1, false",
        "*.example, evilexample:1, false",
        "unix:/run/one, unix:/run/one, true",
        "unix:/run/one, unix:/run/two, false",
        "10.0.0.0/8 other, other:3, true"
    })
    void sayWhereAGatewayMayConnectTo(String rules, String address, boolean allowed) {
        assertThat(allows(rules, address)).isEqualTo(allowed);
    }

    /** Nothing is looked up here: where a name leads is seen by who may wait. */
    @Test
    void aNameMayLeadToAnAllowedNetwork() {
        AddressRules rules = AddressRules.parse(List.of("10.1.0.0/16"));
        PeerAddress name = PeerAddress.parse("ledger.example:1");
        assertThat(rules.allow(name)).isFalse();
        assertThat(rules.mayAllow(name)).isTrue();
        assertThat(rules.mayAllow(PeerAddress.parse("10.2.0.1:1"))).isFalse();
        assertThat(AddressRules.parse(List.of("till")).mayAllow(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/33",
                "10.0.0/8",
                "10.0.0.0/-1",
                "a b",
                "host:70000",
                "[::1",
                "http://x",
                "1.2.3.4.5",
                "*.*"
            })
    void whatCantBeReadIsNamed(String rule) {
        assertThatThrownBy(() -> AddressRules.parse(List.of(rule)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("'" + rule + "' does not say where a gateway may connect to");
    }

    @Test
    void aGatewayHasToBeToldWhere() {
        assertThatThrownBy(GatewaySpec::allowing)
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("allow at least one network or address");
        assertThatThrownBy(() -> new GatewaySpec(List.of("*"), 0)).isInstanceOf(Misconfigured.class);
    }
}
