package io.weir.integration.service;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.integration.Child;
import io.weir.integration.Patience;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A node in a process of its own that announces the service "tax". Started by {@link Child} with settings,
 * {@code name=value} each.
 */
final class Announcer {

    private Announcer() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = Arrays.stream(arguments)
                .map(argument -> argument.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        Node node = Objects.requireNonNull(
                Node.start(NodeSpec.builder().properties(settings).build()).block(Patience.LIMIT));
        ServiceDirectory directory =
                Objects.requireNonNull(ServiceDirectory.open(node).block(Patience.LIMIT));
        directory.announce(tax(node)).then().block(Patience.LIMIT);
        System.out.println("READY " + node.address());
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        directory.close().block(Patience.LIMIT);
        node.close().block(Patience.LIMIT);
        System.exit(0);
    }

    /** What it announces. */
    static ServiceInstance tax(Node node) {
        return new ServiceInstance(
                "tax", node.id(), node.advertised(), "taxes", true, List.of("tcp"), Map.of("zone", "a"));
    }
}
