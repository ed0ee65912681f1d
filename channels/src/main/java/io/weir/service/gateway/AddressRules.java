package io.weir.service.gateway;

import io.netty.util.NetUtil;
import io.weir.core.Misconfigured;
import io.weir.core.Network;
import io.weir.core.PeerAddress;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses may be connected to. A rule is a network ({@code 10.1.0.0/16}, {@code 10.1.0.0/16:7400},
 * {@code [fd00::/8]:7400}), an address, a host's name ({@code ledger.example:7401}, {@code *.example}), a {@code unix:}
 * address, or {@code *}: every address but those of the gateway's own host, link-local ones, groups, the metadata
 * addresses of clouds, and IPv6 addresses that are another way to an IPv4 address. Immutable.
 */
public final class AddressRules {

    /** The parts: host, network or name, in brackets or not, and perhaps a port. */
    private static final Pattern RULE =
            Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+))(?::([0-9]{1,5}))?|([0-9a-fA-F:./]+)");

    private static final Pattern NAME = Pattern.compile("(?:\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?");
    private static final int ANY_PORT = -1;

    /**
     * Translators (RFC 6052) lead from these to the IPv4 address at their end. In networks of IPv6 alone, that is how
     * others are reached.
     */
    private static final Network TRANSLATED = network("64:ff9b::/96");

    /**
     * What a rule has to name: what clouds serve for each machine, and tunnels and local translators to IPv4 addresses.
     */
    private static final List<Network> NAMED_ONLY = Stream.of(
                    "fd00:ec2::/32",
                    "fd20:ce::/32",
                    "fd00:c1::/32",
                    "100.100.100.200",
                    "168.63.129.16",
                    "192.0.0.192",
                    "255.255.255.255",
                    "0.0.0.0/8",
                    "::/96",
                    "64:ff9b:1::/48",
                    "2001::/32",
                    "2002::/16")
            .map(AddressRules::network)
            .toList();

    /**
     * One rule.
     *
     * @param name the host's name in small letters, {@code .example} for all below it, or a {@code unix:} address; null
     *     for a network
     * @param network null for all, and where there is a name
     * @param port or {@link #ANY_PORT}
     */
    private record Rule(@Nullable String name, @Nullable Network network, int port) {

        boolean names(PeerAddress address) {
            if (name == null || !meets(address.port())) {
                return false;
            }
            String host = address.host().toLowerCase(Locale.ROOT);
            return address.isUnix()
                    ? name.equals(address.toString())
                    : name.startsWith(".") ? host.endsWith(name) : host.equals(name);
        }

        boolean holds(InetAddress address, int itsPort) {
            if (name != null || !meets(itsPort)) {
                return false;
            }
            return network == null ? isOrdinary(address) : network.holds(address);
        }

        private boolean meets(int other) {
            return port == ANY_PORT || port == other;
        }

        private static boolean isOrdinary(InetAddress address) {
            return !address.isLoopbackAddress()
                    && !address.isLinkLocalAddress()
                    && !address.isAnyLocalAddress()
                    && !address.isMulticastAddress()
                    && NAMED_ONLY.stream().noneMatch(each -> each.holds(address))
                    && !isOurs(address)
                    && (!TRANSLATED.holds(address) || isOrdinary(translated(address)));
        }

        private static InetAddress translated(InetAddress address) {
            try {
                return InetAddress.getByAddress(Arrays.copyOfRange(address.getAddress(), 12, 16));
            } catch (UnknownHostException e) {
                throw new AssertionError("four bytes are an address", e);
            }
        }

        private static boolean isOurs(InetAddress address) {
            try {
                return NetworkInterface.getByInetAddress(address) != null;
            } catch (SocketException e) {
                // Not known, so not allowed.
                return true;
            }
        }
    }

    private final List<Rule> rules;

    private AddressRules(List<Rule> rules) {
        this.rules = rules;
    }

    /**
     * Reads rules.
     *
     * @throws Misconfigured naming the rule that can't be read
     */
    public static AddressRules parse(List<String> texts) {
        List<Rule> rules = new ArrayList<>();
        texts.forEach(text -> rules.add(rule(text.strip())));
        return new AddressRules(List.copyOf(rules));
    }

    private static Rule rule(String text) {
        if (text.startsWith("unix:")) {
            return new Rule(PeerAddress.parse(text).toString(), null, ANY_PORT);
        }
        Matcher parts = RULE.matcher(text.startsWith("tcp://") ? text.substring("tcp://".length()) : text);
        if (!parts.matches()) {
            throw unreadable(text);
        }
        String host =
                parts.group(1) != null ? parts.group(1) : parts.group(2) != null ? parts.group(2) : parts.group(4);
        int port = parts.group(3) == null ? ANY_PORT : Integer.parseInt(parts.group(3));
        if (port > 65_535) {
            throw unreadable(text);
        }
        return host.equals("*") ? new Rule(null, null, port) : rule(text, host, port);
    }

    private static Rule rule(String text, String host, int port) {
        Network network = Network.read(host);
        if (network != null) {
            return new Rule(null, network, port);
        }
        if (!NAME.matcher(host).matches() || host.chars().allMatch(each -> each == '.' || Character.isDigit(each))) {
            throw unreadable(text);
        }
        String name = host.toLowerCase(Locale.ROOT);
        return new Rule(name.startsWith("*.") ? name.substring(1) : name, null, port);
    }

    private static Network network(String text) {
        return Objects.requireNonNull(Network.read(text), text);
    }

    private static Misconfigured unreadable(String text) {
        return new Misconfigured(
                "'" + text + "' does not say where a gateway may connect to: write a network as 10.1.0.0/16,"
                        + " an address or a name, each with :port or without, unix:/path, or *");
    }

    /** The address that this text is, without any look-up; null if it is a name. */
    static @Nullable InetAddress literal(String host) {
        try {
            if (host.indexOf(':') >= 0) {
                // As who connects reads it: Netty takes ::8.8.8.8 for 8.8.8.8. An address has no other host with a
                // colon, so nothing is looked up.
                String figures = host.indexOf('%') < 0 ? host : host.substring(0, host.indexOf('%'));
                return InetAddress.getByName(figures);
            }
            byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
            return bytes == null ? null : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Whether this may be connected to without knowing where its name leads. */
    boolean allow(PeerAddress address) {
        InetAddress its = address.isUnix() ? null : literal(address.host());
        return rules.stream().anyMatch(rule -> rule.names(address)) || (its != null && allow(its, address.port()));
    }

    /** Whether this may be connected to. */
    boolean allow(InetAddress address, int port) {
        return rules.stream().anyMatch(rule -> rule.holds(address, port));
    }

    /** Whether this may perhaps be connected to: who asks can't say where a name leads. */
    public boolean mayAllow(PeerAddress address) {
        boolean isName = !address.isUnix() && literal(address.host()) == null;
        return allow(address) || (isName && rules.stream().anyMatch(rule -> rule.name() == null));
    }
}
