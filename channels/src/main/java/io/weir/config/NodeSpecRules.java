package io.weir.config;

import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a {@link NodeSpec} must keep to. Each refusal names the property, its value and what is allowed.
 */
public final class NodeSpecRules {

    static final long TERABYTE = 1L << 40;

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Pattern ZOOKEEPER_PATH = Pattern.compile("(/[A-Za-z0-9_-]+)+");

    private NodeSpecRules() {}

    static Map<String, Map<String, String>> copyOf(Map<String, Map<String, String>> options) {
        return options.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> Map.copyOf(entry.getValue())));
    }

    static void name(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (name.isBlank() || bytes > PeerId.MAX_NAME || !name.equals(ForeignText.harmless(name))) {
            throw new Misconfigured("weir.name='" + ForeignText.harmless(name) + "' can't be used: a name has 1 to "
                    + PeerId.MAX_NAME + " bytes (this one " + bytes + ") and no control characters");
        }
    }

    static void listen(List<PeerAddress> addresses) {
        if (addresses.isEmpty()) {
            throw new Misconfigured("weir.listen is empty: name at least one address, such as tcp://127.0.0.1:0");
        }
        for (int at = 0; at < addresses.size(); at++) {
            PeerAddress address = addresses.get(at);
            if (address.port() != 0 && addresses.subList(0, at).contains(address)) {
                throw new Misconfigured("weir.listen names " + address + " twice");
            }
        }
    }

    static void range(String property, long value, long least, long most) {
        range(property, value, least, most, Long::toString, "");
    }

    /** Of bytes. */
    static void sizes(String property, long value, long least, long most) {
        range(property, value, least, most, SettingText::ofSize, "");
    }

    /** What may travel before the receiver asks is a part of the window. */
    static void initial(long items, long window) {
        range("weir.window.initial", items, 0, window, Long::toString, ", where the most is weir.window.items");
    }

    /** One message has to fit. */
    static void nodeBytes(long bytes, int maxMessage) {
        range(
                "weir.node.bytes",
                bytes,
                maxMessage,
                TERABYTE,
                SettingText::ofSize,
                ", where the least is weir.message.max");
    }

    /** @param hint where an end of the range comes from; may be empty */
    private static void range(
            String property, long value, long least, long most, LongFunction<String> written, String hint) {
        if (value < least || value > most) {
            throw new Misconfigured(property + '=' + written.apply(value) + " is out of range: " + written.apply(least)
                    + " to " + written.apply(most) + hint);
        }
    }

    static void time(String property, Duration value, Duration least) {
        time(property, value, least, LONGEST, "");
    }

    private static void time(String property, Duration value, Duration least, Duration most, String hint) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new Misconfigured(property + '=' + SettingText.of(value) + " is out of range: "
                    + SettingText.of(least) + " to " + SettingText.of(most) + hint);
        }
    }

    /** Who is to answer needs time between being asked and being given up. */
    static void keepAlive(Duration interval, Duration timeout) {
        time("weir.keepalive.interval", interval, Duration.ofMillis(10), LONGEST.dividedBy(2), "");
        String hint = ", where the least is twice weir.keepalive.interval";
        time("weir.keepalive.timeout", timeout, interval.multipliedBy(2), LONGEST, hint);
    }

    static void patience(Map<String, PeerSpec> peers) {
        peers.forEach((name, peer) -> time("weir.peers." + name + ".wait", peer.patience(), Duration.ZERO));
    }

    static void gateways(Map<String, PeerSpec> peers) {
        peers.forEach((name, peer) -> {
            List<PeerAddress> gateways = peer.gateways();
            String property = "weir.peers." + name + ".gateway";
            if (gateways.size() > PeerSpec.MOST_GATEWAYS) {
                throw new Misconfigured(property + " names " + gateways.size() + " gateways, where "
                        + PeerSpec.MOST_GATEWAYS + " are the most");
            }
            if (gateways.contains(peer.address())) {
                throw new Misconfigured(
                        property + " names " + peer.address() + ", which is the peer itself: remove it there");
            }
            if (new HashSet<>(gateways).size() < gateways.size()) {
                throw new Misconfigured(property + " names a gateway twice: " + gateways);
            }
        });
    }

    static void advertised(List<PeerAddress> addresses) {
        for (PeerAddress address : addresses) {
            if (address.isAnyHost() || address.port() == 0) {
                throw new Misconfigured("weir.advertise=" + address
                        + " leads nowhere: write the host and the port by which others reach this node");
            }
        }
    }

    static void services(Map<String, ServiceSettings> services) {
        services.forEach((name, is) -> {
            if (name.isBlank()) {
                throw new Misconfigured("weir.services names no service: write weir.services.<service>.addresses");
            }
            time("weir.services." + name + ".wait", is.patience(), Duration.ofMillis(1));
        });
    }

    static void directory(DirectoryKind kind, ZooKeeperSpec zooKeeper) {
        String prefix = "weir.directory.zookeeper.";
        String connect = zooKeeper.connect();
        if (kind == DirectoryKind.ZOOKEEPER && (connect == null || connect.isBlank())) {
            throw new Misconfigured("weir.directory=zookeeper needs to know the servers: set " + prefix
                    + "connect=host:2181, or several between commas");
        }
        if (!ZOOKEEPER_PATH.matcher(zooKeeper.root()).matches()) {
            throw new Misconfigured(prefix + "root=" + zooKeeper.root()
                    + " is not a node of ZooKeeper: write /name or /name/name, of letters, digits, dashes and _");
        }
        String user = zooKeeper.user();
        if (user != null && (user.isBlank() || user.indexOf(':') >= 0)) {
            throw new Misconfigured(
                    prefix + "user=" + user + " is not a user's name: it is not empty and has no colon");
        }
        if ((user == null) != (zooKeeper.password() == null)) {
            throw new Misconfigured(prefix + "user and " + prefix + "password-file belong together: " + prefix
                    + (user == null ? "user" : "password-file") + " is not set");
        }
        time(prefix + "timeout", zooKeeper.timeout(), Duration.ofMillis(10));
        time(prefix + "session", zooKeeper.session(), Duration.ofMillis(10));
    }

    /** What TLS needs is there, and once. */
    static void tls(TlsSpec tls, List<PeerAddress> listen) {
        material(tls);
        if (tls.enabled() && !tls.hasIdentity() && !listen.stream().allMatch(PeerAddress::isUnix)) {
            throw new Misconfigured("weir.tls=on needs a certificate for who connects to weir.listen: set"
                    + " weir.tls.certificate and weir.tls.key, or weir.tls.key-store");
        }
    }

    /** The same for the peers that have their own, which no property sets. */
    static void tls(Map<String, PeerSpec> peers) {
        peers.forEach((name, peer) -> {
            TlsSpec tls = peer.tls();
            if (tls == null) {
                return;
            }
            if (!peer.gateways().isEmpty()) {
                throw new Misconfigured("peer " + name + " has TLS of its own and weir.peers." + name
                        + ".gateway: the gateway is who is connected to, so remove one of both");
            }
            ofPeer(name, () -> material(tls));
        });
    }

    /** Has what is wrong with the TLS of this peer name the peer. */
    public static void ofPeer(String name, Runnable check) {
        try {
            check.run();
        } catch (Misconfigured e) {
            throw new Misconfigured("the TLS of peer " + name + " (PeerSpec.tls): " + e.getMessage(), e);
        }
    }

    private static void material(TlsSpec tls) {
        time("weir.tls.reload", tls.reload(), Duration.ofMillis(10));
        if (tls.protocols().isEmpty() || !TlsSpec.PROTOCOLS.containsAll(tls.protocols())) {
            throw new Misconfigured("weir.tls.protocols=" + String.join(",", tls.protocols())
                    + " can't be used: name one or more of " + String.join(", ", TlsSpec.PROTOCOLS));
        }
        if (!tls.enabled()) {
            return;
        }
        notBoth("weir.tls.certificate", tls.certificate(), "weir.tls.key-store", tls.keyStore());
        notBoth("weir.tls.certificate", tls.certificate(), "TlsSpec.keys", tls.keys());
        notBoth("weir.tls.key-store", tls.keyStore(), "TlsSpec.keys", tls.keys());
        notBoth("weir.tls.trust", tls.trust(), "weir.tls.trust-store", tls.trustStore());
        notBoth("weir.tls.trust", tls.trust(), "TlsSpec.trusted", tls.trusted());
        notBoth("weir.tls.trust-store", tls.trustStore(), "TlsSpec.trusted", tls.trusted());
        notBoth("weir.tls.revocation-lists", tls.revocationLists(), "TlsSpec.trusted", tls.trusted());
        notBoth("weir.tls.ocsp", tls.ocsp() ? tls : null, "TlsSpec.trusted", tls.trusted());
        if ((tls.certificate() == null) != (tls.key() == null)) {
            throw new Misconfigured("weir.tls.certificate and weir.tls.key belong together: "
                    + (tls.key() == null ? "weir.tls.key" : "weir.tls.certificate") + " is not set");
        }
        if (!tls.hasTrust()) {
            throw new Misconfigured("weir.tls=on needs to know whom to trust: set weir.tls.trust to the certificates of"
                    + " those who issue the peers' ones, or weir.tls.trust-store");
        }
    }

    private static void notBoth(String one, @Nullable Object its, String other, @Nullable Object others) {
        if (its != null && others != null) {
            throw new Misconfigured(one + " and " + other + " are both set: remove one of them");
        }
    }

    static void paths(
            KnownPaths known,
            PathPolicy node,
            Map<String, Map<String, String>> options,
            Map<String, PeerSpec> peers,
            Map<String, PortSpec> ports) {
        policy(known, "weir.transport", node, node);
        options.forEach((path, values) -> values.keySet()
                .forEach(option -> known.checkOption("weir.transport." + path + '.' + option, path, option)));
        peers.forEach((name, peer) ->
                policy(known, "weir.peers." + name + ".transport", peer.paths(), node.and(peer.paths())));
        ports.forEach((name, port) ->
                policy(known, "weir.ports." + name + ".transport", port.paths(), node.and(port.paths())));
    }

    public static void policy(KnownPaths known, String prefix, PathPolicy written, PathPolicy effective) {
        known.check(prefix, written);
        List<String> order = effective.paths();
        if (order.stream().allMatch(path -> effective.of(path) == PathSwitch.OFF)) {
            throw new Misconfigured(prefix + ".order leaves no path that could be used"
                    + (order.isEmpty() ? ": it is empty" : ": off are " + String.join(", ", order)));
        }
        effective.switches().forEach((path, set) -> {
            if (set == PathSwitch.REQUIRED && !order.contains(path)) {
                throw new Misconfigured(prefix + '.' + path + "=required can't be met: " + prefix
                        + ".order does not name " + path + " (" + String.join(", ", order) + ')');
            }
        });
    }

    /**
     * Before a node starts: what its settings require must be possible, and strangers must not be let in by mistake.
     */
    public static void exposure(NodeSpec spec) {
        Requirement require = spec.security().require();
        boolean proves = spec.tlsOn() || spec.security().secret() != null;
        if (require != null && require != Requirement.NONE && !proves) {
            throw new Misconfigured(
                    "weir.security.require=" + SettingText.word(require) + ", and there is nothing that a peer"
                            + " could prove: set weir.security.secret (or weir.security.secret-file), or weir.tls=on");
        }
        if (require == Requirement.ENCRYPTED && !spec.tlsOn()) {
            refuseIf(
                    spec,
                    address -> !address.isUnix(),
                    "weir.security.require=encrypted, and connections to",
                    " are not: set weir.tls=on, or listen at unix: addresses only");
        }
        if (require == null && !proves) {
            refuseIf(
                    spec,
                    address -> !SecuritySpec.staysOnHost(address),
                    "weir.listen names",
                    ", which other hosts can reach, and nothing keeps strangers out: set weir.security.secret"
                            + " (or weir.security.secret-file), or weir.tls=on, or weir.security.require=none "
                            + "if whoever reaches it may be a peer");
        }
    }

    private static void refuseIf(NodeSpec spec, Predicate<PeerAddress> exposed, String before, String behind) {
        spec.listen().stream().filter(exposed).findFirst().ifPresent(address -> {
            throw new Misconfigured(before + ' ' + address + behind);
        });
    }
}
