package io.weir.path;

import io.weir.config.KnownPaths;
import io.weir.config.NodeSpec;
import io.weir.config.NodeSpecRules;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.Requirement;
import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.RareLog;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What a node has for the paths of its sessions: adapters, settings, and what speaks against a path. Any thread. */
public final class LocalPaths {

    public static final String NOT_PRIVATE = "others could read what goes over it, and weir.security.require=encrypted";

    private final NodeSpec spec;
    private final NodeKey key;
    private final PeerCard card;
    private final Map<String, Transport> adapters;
    private final Bootstrap bootstrap;
    private final Devices devices;
    private final RareLog sessionLog;
    private final BooleanSupplier closing;

    /**
     * @param key to which the id of the card belongs
     * @param closing whether the node is closing
     */
    public LocalPaths(
            NodeSpec spec,
            NodeKey key,
            PeerCard card,
            Map<String, Transport> adapters,
            Bootstrap bootstrap,
            Devices devices,
            RareLog sessionLog,
            BooleanSupplier closing) {
        this.spec = spec;
        this.key = key;
        this.card = card;
        this.adapters = adapters;
        this.bootstrap = bootstrap;
        this.devices = devices;
        this.sessionLog = sessionLog;
        this.closing = closing;
    }

    NodeSpec spec() {
        return spec;
    }

    /** See {@link Bootstrap#elsewhere()}. */
    public Executor elsewhere() {
        return bootstrap.elsewhere();
    }

    /** By which this node is known. */
    public NodeKey key() {
        return key;
    }

    PeerId id() {
        return card.id();
    }

    PeerCard card() {
        return card;
    }

    public Devices devices() {
        return devices;
    }

    /** For what sessions do. */
    RareLog sessionLog() {
        return sessionLog;
    }

    /** Whether our node is closing, so that nobody connects anew. */
    boolean isClosing() {
        return closing.getAsBoolean();
    }

    @Nullable
    public Transport adapter(String path) {
        return path.equals(TunnelledLink.PATH) ? TunnelPath.ANY : adapters.get(path);
    }

    /** Listens to the adapters of paths that are ready. */
    public void watchDevices() {
        devices.watch(adapters, card.ready().keySet());
    }

    /** A bootstrap connection, the name looked up anew each time. */
    public Mono<Link> dial(PeerAddress address, Loop loop, TlsSpec tls) {
        return bootstrap.connect(address, bootstrapSettings(tls), loop);
    }

    /** The connect time-out of the node counts unless the path has one of its own. */
    private TransportSettings bootstrapSettings(TlsSpec tls) {
        TransportSettings set = settings("tcp", tls);
        Map<String, String> options = new TreeMap<>(set.options());
        options.putIfAbsent("connect-timeout", spec.timeouts().connect().toMillis() + "ms");
        return new TransportSettings(set.runtimeFolder(), set.nativeAllowed(), options, set.tls());
    }

    /** What we have dialled, as we say it over this connection. */
    public Dialled dialled(PeerAddress address, Link link) {
        return Dialled.of(address, link.ends(), card.bootId());
    }

    /** The settings of this path's adapter for a connection that is protected in this way. */
    public TransportSettings settings(String path, TlsSpec tls) {
        return settings(spec, path, tls);
    }

    public static TransportSettings settings(NodeSpec spec, String path, TlsSpec tls) {
        TransportSettings set = spec.settings(path);
        return new TransportSettings(set.runtimeFolder(), set.nativeAllowed(), set.options(), tls);
    }

    /**
     * The bootstrap connection is looked at when it is there: over a Unix-domain socket it is private without any
     * setting.
     */
    public static boolean isPrivateEnough(Transport adapter, NodeSpec spec) {
        return spec.security().require() != Requirement.ENCRYPTED
                || adapter.name().equals(PathSelector.BOOTSTRAP_PATH)
                || adapter.isPrivate(spec.settings(adapter.name()));
    }

    /** Why this link, over this path, must not be used; null if it may. */
    @Nullable
    public String refusal(String path, Link link) {
        Transport adapter = adapters.get(path);
        boolean needed = spec.security().require() == Requirement.ENCRYPTED;
        boolean isPrivate =
                link.protection().encrypted() || (adapter != null && adapter.isPrivate(spec.settings(path)));
        return needed && !isPrivate ? NOT_PRIVATE : null;
    }

    /** Why this path, which a peer has proposed, is not tried; null if it is. */
    @Nullable
    public String refusal(PathPolicy policy, String path, Link over) {
        if (over instanceof TunnelledLink tunnel) {
            if (path.equals(TunnelledLink.PATH)) {
                return null;
            }
            if (path.equals(PathSelector.BOOTSTRAP_PATH)) {
                return "path " + path + " does not lead here, but " + tunnel.route();
            }
        }
        if (policy.of(path) == PathSwitch.OFF || !card.ready().containsKey(path)) {
            return "path " + path + " is not ready here";
        }
        return devices.whyNot(path);
    }

    /**
     * What is said of paths keeps to the rules of the configuration.
     *
     * @param effective what counts then
     * @throws Misconfigured if it does not
     */
    public void checkPolicy(PathPolicy policy, PathPolicy effective) {
        NodeSpecRules.policy(KnownPaths.of(adapters), "paths", policy, effective);
    }

    /**
     * The same of what an operator wants while the node lives.
     *
     * @throws Misconfigured if it does not keep to them
     */
    public void checkOrder(PathPolicy order, PathPolicy effective) {
        if (effective.measured() || order.repath() != null) {
            throw new Misconfigured("only the order and the switches of paths can be changed while a connection lives,"
                    + " and an order is measured when it begins: name the paths, best first");
        }
        checkPolicy(order, effective);
    }
}
