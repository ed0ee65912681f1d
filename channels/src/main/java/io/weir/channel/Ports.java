package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PortSpec;
import io.weir.core.ErrorCode;
import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.RareLog;
import io.weir.path.Logs;
import io.weir.peer.Identity;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** The ports that a node serves. Any thread may call. */
final class Ports implements Session.Host {

    static final String LEAVING = "this node is going to leave, and begins nothing any more";

    private final ConcurrentMap<String, PortHandler> handlers = new ConcurrentHashMap<>();
    private final NodeSpec spec;
    private final RareLog failures = new RareLog(Logs.PORTS, System::nanoTime);
    private final RareLog breaches = new RareLog(Logs.PORTS, System::nanoTime);
    private final RareLog sessionLog = SessionLog.make();
    /** Null: everybody may use every port that the configuration does not restrict. */
    private volatile @Nullable Authorisation authorisation;

    /** Not volatile: it is there before the calls that it watches. */
    private @Nullable Interceptors interceptors;

    /** By a port that is served, how large the first message of a channel there was lately, where it was long. */
    private final ConcurrentMap<String, Integer> longMessages = new ConcurrentHashMap<>();

    private volatile boolean leaving;

    Ports(NodeSpec spec) {
        this.spec = spec;
    }

    /** Serves the port until the result is disposed. */
    Disposable serve(String port, PortHandler handler) {
        PortNames.check(port);
        if (handlers.putIfAbsent(port, handler) != null) {
            throw new Misconfigured("port '" + port + "' is served already: one handler per port and node");
        }
        return Disposables.composite(() -> {
            if (handlers.remove(port, handler)) {
                var unused = longMessages.remove(port);
                handler.closed();
            }
        });
    }

    @Override
    public int expected(String port) {
        return longMessages.getOrDefault(port, 1);
    }

    @Override
    public void emitted(String port, int length) {
        if (length > Backlog.LONG && handlers.containsKey(port)) {
            longMessages.put(port, length);
        } else {
            longMessages.remove(port);
        }
    }

    void authorise(Authorisation its) {
        authorisation = Objects.requireNonNull(its, "authorisation");
    }

    void intercept(CallInterceptor interceptor) {
        interceptors = Interceptors.and(interceptors, Objects.requireNonNull(interceptor, "interceptor"));
    }

    @Nullable
    CallInterceptor interceptor() {
        return interceptors;
    }

    @Override
    public void opened(Channel channel, boolean requests) {
        if (!permits(channel.peer().identity(), channel.port())) {
            channel.refuse(ErrorCode.REFUSED, "port '" + channel.port() + "' is not open to this peer");
            return;
        }
        if (leaving && !PortNames.endsWhatHasBegun(channel.port())) {
            channel.refuse(ErrorCode.OVERLOADED, LEAVING);
            return;
        }
        PortHandler handler = handlers.get(channel.port());
        if (handler == null) {
            channel.refuse(ErrorCode.NO_SUCH_PORT, "nobody serves port '" + channel.port() + "' here" + served());
            return;
        }
        String path = channel.session().link().transport();
        PortSpec port = spec.ports().get(channel.port());
        if (port != null && !allows(port.paths(), path)) {
            channel.refuse(
                    ErrorCode.PATH_REQUIRED,
                    "port '" + channel.port() + "' is not offered over " + path + " (" + port.paths() + ')');
            return;
        }
        handler.opened(channel, requests);
    }

    private boolean permits(Identity peer, String port) {
        PortSpec is = spec.ports().get(port);
        if (is != null && !peer.mayUse(is)) {
            return false;
        }
        Authorisation asked = authorisation;
        try {
            return asked == null || asked.permits(peer, port);
        } catch (Throwable t) {
            failures.warn("The authorisation has failed, so port '" + ForeignText.brief(port) + "' stays closed to "
                    + ForeignText.brief(peer.name()) + ": " + t);
            return false;
        }
    }

    @Override
    public RareLog sessionLog() {
        return sessionLog;
    }

    @Override
    public void breach(String what) {
        breaches.warn(what);
    }

    private static boolean allows(PathPolicy policy, String path) {
        boolean listed = policy.paths().isEmpty() || policy.paths().contains(path);
        boolean otherRequired = policy.required() && policy.of(path) != PathSwitch.REQUIRED;
        return listed && policy.of(path) != PathSwitch.OFF && !otherRequired;
    }

    /** A peer that may not use all ports does not learn which there are. */
    private String served() {
        if (authorisation != null || spec.ports().values().stream().anyMatch(port -> port.allow() != null)) {
            return "";
        }
        TreeSet<String> names = new TreeSet<>(handlers.keySet());
        // Which is there without anybody having asked for it.
        names.remove(TunnelRequest.TUNNEL_PORT);
        if (names.isEmpty()) {
            return "; it serves none";
        }
        return "; it serves " + (names.size() <= 10 ? names : names.size() + " others");
    }

    /** What is said of a port whose handler was disposed. */
    static String noLongerServed(String port) {
        return "port '" + port + "' is no longer served";
    }

    /** What comes from now on is turned away, so that somebody else is asked; what was begun goes on. */
    void leave() {
        leaving = true;
    }

    boolean leaving() {
        return leaving;
    }

    void close() {
        handlers.forEach((port, handler) -> {
            if (handlers.remove(port, handler)) {
                handler.closed();
            }
        });
    }
}
