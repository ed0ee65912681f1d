package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.PeerAddress;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import reactor.core.publisher.Mono;

/** A gateway in code, and a client that names it. */
final class Gateways {

    private Gateways() {}

    static Gateway gateway(Node node) {
        // tag::gateway
        Gateway gateway = Gateway.serve(node, GatewaySpec.allowing("10.2.0.0/16"));
        gateway.changes().subscribe(pair -> System.out.println(pair));
        // end::gateway
        return gateway;
    }

    static Mono<Peer> client(Node node) {
        // tag::through
        Mono<Peer> ledger = node.connect("gate.example:7400")
                .flatMap(gateway -> node.connect(PeerAddress.parse("tcp://10.2.0.7:7401"), gateway));
        // end::through
        return ledger;
    }
}
