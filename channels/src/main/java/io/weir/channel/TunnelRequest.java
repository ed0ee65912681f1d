package io.weir.channel;

import io.netty.buffer.Unpooled;
import io.weir.core.ControlData;
import io.weir.core.ForeignText;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.ProtocolMismatch;
import io.weir.peer.TunnelRoute;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The first message to a gateway, on a channel to its port {@value #GATEWAY_PORT}: whom it shall join the channel with.
 * The gateway answers with a {@link TunnelAnswer}; whatever follows it passes on, in both directions, as it is.
 *
 * @param target where the session shall end
 * @param via the gateways that come behind this one, in their order; may be empty
 * @param route what is behind it: the gateways that have passed it on, and the paths of their legs
 */
public record TunnelRequest(PeerAddress target, List<PeerAddress> via, TunnelRoute route) {

    /** The port that gateways serve. */
    public static final String GATEWAY_PORT = "weir.gateway";

    /**
     * The port that every node serves that may be reached through gateways ({@code weir.gateway.accept}). The first
     * message there is a {@link #greeting}.
     */
    public static final String TUNNEL_PORT = "weir.tunnel";

    private static final String TARGET = "weir-target";
    private static final String VIA = "weir-via";

    /** Copies the list. */
    public TunnelRequest {
        Objects.requireNonNull(target, "target");
        via = List.copyOf(via);
        Objects.requireNonNull(route, "route");
    }

    /** As it is sent. The caller owns it. */
    public Message message() {
        String names = via.stream().map(PeerAddress::toString).collect(Collectors.joining("\n"));
        ControlData data = ControlData.of(TARGET, target.toString()).with(VIA, names);
        return Message.of(route.into(data), Unpooled.EMPTY_BUFFER);
    }

    /**
     * Reads one that somebody has sent. Does not release it.
     *
     * @throws ProtocolMismatch if it is none
     */
    public static TunnelRequest of(Message message) {
        ControlData data = message.control();
        String target = data.get(TARGET);
        if (target == null) {
            throw new ProtocolMismatch("the first message to port '" + GATEWAY_PORT + "' does not name a target");
        }
        try {
            List<PeerAddress> via =
                    TunnelRoute.list(data, VIA).stream().map(PeerAddress::parse).toList();
            return new TunnelRequest(PeerAddress.parse(ForeignText.brief(target)), via, TunnelRoute.of(data));
        } catch (Misconfigured e) {
            throw new ProtocolMismatch("the first message to port '" + GATEWAY_PORT + "': " + e.getMessage(), e);
        }
    }

    /** The first message of the last gateway to the target: by which way somebody comes. The caller owns it. */
    public static Message greeting(TunnelRoute route) {
        return Message.of(route.into(ControlData.empty()), Unpooled.EMPTY_BUFFER);
    }
}
