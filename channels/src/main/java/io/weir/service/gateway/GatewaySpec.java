package io.weir.service.gateway;

import io.weir.core.Misconfigured;
import java.util.List;

/**
 * What a gateway may do. Immutable.
 *
 * @param allow where it may connect to, at least one rule. Each is a network ({@code 10.1.0.0/16},
 *     {@code 10.1.0.0/16:7400}, {@code [fd00::/8]:7400}), an address, a host's name ({@code ledger.example:7401},
 *     {@code *.example}), a {@code unix:} address, or {@code *}: every address but those of the gateway's own host,
 *     link-local ones, groups, the metadata addresses of clouds, and IPv6 addresses that are
 *     another way to an IPv4 address. There is no default, as users of a gateway stand, for these addresses, where the
 *     gateway stands
 * @param maxPairs sessions that it carries at once, 1 to 65536, of which nobody can take all, see
 *     {@link io.weir.channel.Places}. Each holds at most what the windows of its two channels allow, twice
 *     {@code weir.window.bytes}
 */
public record GatewaySpec(List<String> allow, int maxPairs) {

    /**
     * With all windows full, at 4 MiB each, these hold 2 GiB; sessions whose ends take what comes hold next to nothing.
     */
    public static final int MAX_PAIRS = 256;

    /**
     * Checks the values.
     *
     * @throws Misconfigured naming what is wrong, and the remedy
     */
    public GatewaySpec {
        allow = List.copyOf(allow);
        if (allow.isEmpty()) {
            throw new Misconfigured(
                    "a gateway has to know where it may connect to: allow at least one network or address,"
                            + " such as 10.1.0.0/16, or * for all");
        }
        var unused = AddressRules.parse(allow);
        if (maxPairs < 1 || maxPairs > 65_536) {
            throw new Misconfigured("a gateway carries 1 to 65536 sessions at once, not " + maxPairs);
        }
    }

    /** One that may connect to these. */
    public static GatewaySpec allowing(String... rules) {
        return new GatewaySpec(List.of(rules), MAX_PAIRS);
    }
}
