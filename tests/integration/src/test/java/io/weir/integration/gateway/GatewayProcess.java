package io.weir.integration.gateway;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.integration.Child;
import io.weir.integration.Patience;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.io.IOException;
import java.util.Objects;
import reactor.core.publisher.Flux;

/**
 * One of the three that a gateway is about, in a process of its own: started by {@link Child} as gateway, server or
 * client.
 */
final class GatewayProcess {

    static final String ECHO = "echo";

    private GatewayProcess() {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments what it is; for a client, the addresses of the gateway and of the server
     */
    public static void main(String[] arguments) throws IOException {
        Node node = Objects.requireNonNull(
                Node.start(Joined.remote(arguments[0]).build()).block(Patience.LIMIT));
        switch (arguments[0]) {
            case "gateway" -> Gateway.serve(node, GatewaySpec.allowing("127.0.0.1"));
            case "server" -> node.serve(ECHO, channel -> channel.send(channel.receive()));
            default -> stream(node, arguments[1], arguments[2]);
        }
        System.out.println("READY " + node.address());
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        node.close().block(Patience.LIMIT);
        System.exit(0);
    }

    private static void stream(Node node, String gateway, String server) {
        Peer through = Objects.requireNonNull(node.connect(gateway).block(Patience.LIMIT));
        Peer peer = Objects.requireNonNull(
                node.connect(PeerAddress.parse(server), through).block(Patience.LIMIT));
        Flux<Message> endless = Source.of(Sizes.MIXED).endless();
        peer.exchange(ECHO, endless).subscribe(Message::release);
    }
}
