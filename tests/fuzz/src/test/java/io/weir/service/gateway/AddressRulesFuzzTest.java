package io.weir.service.gateway;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whom a peer may be led on to, whatever address it asks for: no name is looked up for the decision, nothing is allowed
 * that leads back to the gateway's own host unless a rule names it, and who connects reads an address as the rules do.
 * The input is rules between blanks, a line feed, and an address.
 *
 * <p>Names are looked up in a file of the test's that knows one name, which is odd: it has a colon. So it is seen
 * whether somebody asks for it.
 */
class AddressRulesFuzzTest {

    private static final AddressRules ALL = AddressRules.parse(List.of("*"));
    private static final AddressRules NETWORKS = AddressRules.parse(List.of("0.0.0.0/0", "::/0"));
    private static final AddressRules NONE = AddressRules.parse(List.of());

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "10.1.0.0/16 *.example:7 [fd00::/8]:6 unix:/run/x tcp://Ledger.example:1\ntcp://10.1.2.3:7",
                        "10.1.2.128/25 fd00::/8 [::1]:6 *:7400\n[fd12::1]:7400",
                        "ledger.example\nledger.EXAMPLE:1",
                        "*.example\na.b.example:65535",
                        "unix:/run/x\nunix:/run/x",
                        "*\n127.0.0.1:1",
                        "*\n[::ffff:169.254.169.254]:80",
                        "*\n[::8.8.8.8]:1",
                        "*\n[64:ff9b::127.0.0.1]:1",
                        "*\n[2002:7f00:1::]:1",
                        "*\n[fe80::1%eth0]:1",
                        "*\n[::8.8.8.8%1]:1",
                        "10.0.0.0/8\n[x:y]:1",
                        "*\n127.1:1",
                        "*\n2130706433:1",
                        "10.0.0.0/33 1.2.3 a..b -x [a]b\n:1",
                        "8.8.8.8:65536\n8.8.8.8:65536")
                .map(text -> text.getBytes(UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void nothingIsAllowedThatNoRuleNames(byte[] input) {
        String[] lines = new String(input, UTF_8).split("\n", 2);
        AddressRules rules = rules(lines[0]);
        if (lines.length < 2) {
            return;
        }
        PeerAddress address;
        try {
            address = PeerAddress.parse(lines[1]);
        } catch (Misconfigured e) {
            check(e.getMessage() != null, e);
            return;
        }
        check(!rules.allow(address) || rules.mayAllow(address), address);
        check(!NONE.allow(address) && !NONE.mayAllow(address), address);
        InetAddress literal = address.isUnix() ? null : AddressRules.literal(address.host());
        if (literal == null) {
            check(!ALL.allow(address) && !NETWORKS.allow(address), "no rule names it: " + address);
            return;
        }
        check(isLiteral(address.host()), "it was looked up: " + address);
        check(NETWORKS.allow(address), "it is in no network: " + address);
        InetAddress connected = connected(address.host());
        check(connected == null || connected.equals(literal), "who connects reads " + address + " as " + connected);
        if (ALL.allow(address)) {
            check(!literal.isLoopbackAddress() && !literal.isAnyLocalAddress(), address);
            check(!literal.isLinkLocalAddress() && !literal.isMulticastAddress(), address);
        }
    }

    private static AddressRules rules(String text) {
        try {
            return AddressRules.parse(Arrays.asList(text.split(" ")));
        } catch (Misconfigured e) {
            check(e.getMessage() != null, e);
            return NONE;
        }
    }

    /** What stands behind a percent sign names an interface of this host. */
    private static boolean isLiteral(String host) {
        int zone = host.indexOf('%');
        return (zone < 0 ? host : host.substring(0, zone))
                .chars()
                .allMatch(each -> each == ':' || each == '.' || Character.digit(each, 16) >= 0);
    }

    /** Null if nobody could connect there. */
    private static @Nullable InetAddress connected(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
