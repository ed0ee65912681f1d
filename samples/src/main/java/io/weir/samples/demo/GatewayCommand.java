package io.weir.samples.demo;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.PeerAddress;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import reactor.core.scheduler.Schedulers;

/** {@code weir gateway} */
@Command(
        name = "gateway",
        description = "Joins networks whose nodes can't reach each other. Runs until it is interrupted.",
        footer = {
            "",
            "Reads the same settings as a node: system properties weir.* (through WEIR_JAVA_OPTS)",
            "and the environment WEIR_*. Beyond this host it wants a secret or certificates."
        },
        mixinStandardHelpOptions = true)
public final class GatewayCommand implements Runnable {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--listen",
            split = ",",
            paramLabel = "ADDRESS",
            description = "Where clients connect. Default: weir.listen.")
    private @Nullable List<String> listen;

    @Option(names = "--name", paramLabel = "NAME", description = "What it is called. Default: weir.name.")
    private @Nullable String name;

    @Option(
            names = "--allow",
            split = ",",
            required = true,
            paramLabel = "RULE",
            description =
                    "Where it may connect to: networks as 10.1.0.0/16, addresses or names, each with :port or without;"
                            + " * is everything but this host.")
    private List<String> allow;

    @Option(
            names = "--max-pairs",
            defaultValue = "" + GatewaySpec.MAX_PAIRS,
            paramLabel = "N",
            description = "Sessions that it carries at once. Default: ${DEFAULT-VALUE}.")
    private int maxPairs;

    /** So that a demonstration leaves nobody behind. */
    @Option(names = "--until-input-ends", hidden = true)
    private boolean untilInputEnds;

    @Override
    public void run() {
        PrintWriter out = command.commandLine().getOut();
        GatewaySpec rules = new GatewaySpec(allow, maxPairs);
        Node node = Node.start(spec()).blockOptional().orElseThrow();
        Gateway gateway = Gateway.serve(node, rules);
        gateway.changes()
                .publishOn(Schedulers.boundedElastic())
                .subscribe(pair -> say(out, (pair.open() ? "joined  " : "parted  ") + pair));
        say(out, node.id() + " listens at " + node.address() + ", and may connect to " + String.join(", ", allow));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> node.close().block(), "close"));
        if (untilInputEnds) {
            awaitEndOfInput();
        } else {
            node.closed().block();
        }
    }

    private NodeSpec spec() {
        NodeSpec.Builder spec = NodeSpec.fromSystem().toBuilder();
        if (listen != null) {
            spec = spec.listen(listen.stream().map(PeerAddress::parse).toList());
        }
        return (name == null ? spec : spec.name(name)).build();
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }

    private static void awaitEndOfInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It has ended as well.
        }
    }
}
