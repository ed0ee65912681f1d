package io.weir.samples.process;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.WeirException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/** The node of a process that another one has started. */
public final class Serving {

    /** Stands before the address, in the first line of output. */
    public static final String READY = "READY ";

    private Serving() {}

    /** A node at its {@link Place}, as it is configured, with this name. */
    public static NodeSpec spec(String name) {
        return NodeSpec.fromSystem().toBuilder()
                .name(name)
                .listen(Place.listen())
                .build();
    }

    /**
     * Starts the node, says on standard output where it listens, and ends the process when its standard input ends, so
     * that it never outlives who has started it. The exit code is 1 if the node can't be started, with the reason on
     * standard output.
     *
     * @param ports has it serve
     */
    public static void until(NodeSpec spec, Consumer<Node> ports) throws IOException {
        try {
            Node node = Node.start(spec).blockOptional().orElseThrow();
            ports.accept(node);
            System.out.println(READY + node.address());
            System.in.transferTo(OutputStream.nullOutputStream());
            node.close().block();
            System.exit(0);
        } catch (WeirException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }
}
