package io.weir.tck;

import io.weir.core.Bootstrap;
import io.weir.core.Transport;
import java.util.HashMap;
import java.util.Map;

/** Makes links of one path, found by its name as a node finds it. Immutable. */
public final class TransportFixture {

    private final String path;
    private final ClassLoader classes;
    private final Map<String, String> options;

    private TransportFixture(String path, ClassLoader classes, Map<String, String> options) {
        this.path = path;
        this.classes = classes;
        this.options = Map.copyOf(options);
    }

    /** Links of the path of this name, as it works without any setting. */
    public static TransportFixture of(String path) {
        return new TransportFixture(path, TransportFixture.class.getClassLoader(), Map.of());
    }

    /** As here, with one more option of the path set. */
    public TransportFixture with(String option, String value) {
        Map<String, String> more = new HashMap<>(options);
        more.put(option, value);
        return new TransportFixture(path, classes, more);
    }

    /** As here, with the transport of that name which this class loader finds. */
    public TransportFixture from(ClassLoader classes) {
        return new TransportFixture(path, classes, options);
    }

    /** A pair of links between two nodes, each on a loop of its own. Skips the test where the path is missing. */
    public LinkPair open() throws Exception {
        return nodes(false).link();
    }

    Transport transport() {
        return Paths.transport(path, classes);
    }

    Bootstrap bootstrap() {
        return Paths.bootstrap();
    }

    Map<String, String> options() {
        return options;
    }

    NodePair nodes(boolean oneLoop) throws Exception {
        return NodePair.connect(transport(), bootstrap(), options, oneLoop);
    }
}
