package io.weir.integration.remote;

import io.weir.channel.Node;
import io.weir.integration.Books;
import io.weir.integration.Child;
import io.weir.integration.Ledger;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import java.io.IOException;
import java.util.Objects;

/** Exports a ledger from a process of its own: started by {@link Child}. */
final class LedgerServer {

    private LedgerServer() {}

    /** Runs until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        Node node = Objects.requireNonNull(
                Node.start(Route.TCP.spec("ledger").build()).block(Patience.LIMIT));
        var export = new Interfaces(node).export("ledger", Ledger.class, new Books(), ExportOptions.standard());
        System.out.println("READY " + node.address());
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        node.close().block(Patience.LIMIT);
        System.exit(0);
    }
}
