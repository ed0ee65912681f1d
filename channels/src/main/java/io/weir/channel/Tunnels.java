package io.weir.channel;

import io.weir.config.NodeSpec;
import io.weir.config.Requirement;
import io.weir.core.ErrorCode;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.path.Logs;
import io.weir.peer.TunnelRoute;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A node's connections through gateways, from either side. */
final class Tunnels implements PortHandler {

    private final NodeSpec spec;
    private final Consumer<TunnelLink> accepted;
    private final RareLog failures = new RareLog(Logs.PORTS, System::nanoTime);

    /** @param accepted gets each that comes, on its loop */
    Tunnels(NodeSpec spec, Consumer<TunnelLink> accepted) {
        this.spec = spec;
        this.accepted = accepted;
    }

    /**
     * What comes through a tunnel within a tunnel is handled within both, on one stack; nobody needs more than one in
     * another.
     */
    private static final int DEEPEST = 2;

    private static final String TOO_DEEP =
            "a connection through gateways that goes through another such one leads no further";

    /** Opens one to this target, behind these further gateways. Delivered on the loop of the first gateway. */
    Mono<TunnelLink> open(PeerAddress target, List<PeerAddress> via, Peer gateway) {
        return Mono.defer(() -> {
            String refusal = refusal();
            if (refusal != null) {
                throw new Refused(target + " can't be reached through gateways: " + refusal);
            }
            if (gateway.session().link().tunnelDepth() >= DEEPEST) {
                throw new Refused(target + " can't be reached through " + gateway.id() + ": " + TOO_DEEP);
            }
            if (via.size() >= TunnelRoute.MOST) {
                throw new Misconfigured((via.size() + 1) + " gateways on the way to " + target + ", where "
                        + TunnelRoute.MOST + " are the most");
            }
            int gateways = via.size() + 1;
            Duration time =
                    spec.timeouts().connect().plus(spec.timeouts().handshake()).multipliedBy(gateways);
            TunnelRequest request = new TunnelRequest(target, via, TunnelRoute.NONE);
            return gateway.channel(TunnelRequest.GATEWAY_PORT)
                    .flatMap(channel -> TunnelLink.connect(channel, request, gateways, time));
        });
    }

    /**
     * What a connection through gateways must have: what connections beyond this host must, as nobody knows where it
     * comes from.
     */
    static Requirement requirement(NodeSpec spec) {
        Requirement set = spec.security().require();
        return set == null ? Requirement.AUTHENTICATED : set;
    }

    /** Why there can be none; null if there can. */
    private @Nullable String refusal() {
        if (requirement(spec) == Requirement.ENCRYPTED) {
            return "weir.security.require=encrypted, and a gateway can read what it passes on";
        }
        return spec.memory().maxMessage() >= TunnelLink.LONGEST
                ? null
                : "weir.message.max=" + spec.memory().maxMessage()
                        + " is less than the 64 KiB that they pass on at once";
    }

    @Override
    public void opened(Channel channel, boolean requests) {
        String refusal = requests ? "it answers no requests" : refusal();
        if (refusal == null && channel.session().link().tunnelDepth() >= DEEPEST) {
            refusal = TOO_DEEP;
        }
        if (refusal != null) {
            channel.refuse(ErrorCode.REFUSED, "port '" + channel.port() + "' is closed: " + refusal);
            return;
        }
        channel.accept();
        var unused = TunnelLink.accept(channel, spec.timeouts().handshake())
                .subscribe(
                        accepted,
                        error -> failures.warn("A connection through gateways came to nothing: " + error.getMessage()));
    }

    @Override
    public void closed() {
        // What is open belongs to its session, or to its handshake.
    }
}
