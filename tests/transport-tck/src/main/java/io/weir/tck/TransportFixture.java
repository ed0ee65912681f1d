package io.weir.tck;

import io.weir.core.Link;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Makes links of one path, found by its name as a node finds it. Immutable. */
public final class TransportFixture {

    /** So little that the tests come to this bound before any other one. */
    private static final long RETAINED = 1;

    private final String path;
    private final ClassLoader classes;
    private final Map<String, String> options;
    private final boolean nativeAllowed;
    private final boolean unixSocket;
    private final boolean retaining;
    private final TlsSpec tls;

    private TransportFixture(
            String path,
            ClassLoader classes,
            Map<String, String> options,
            boolean nativeAllowed,
            boolean unixSocket,
            boolean retaining,
            TlsSpec tls) {
        this.path = path;
        this.classes = classes;
        this.options = Map.copyOf(options);
        this.nativeAllowed = nativeAllowed;
        this.unixSocket = unixSocket;
        this.retaining = retaining;
        this.tls = tls;
    }

    /** Links of the path of this name, as it works without any setting. */
    public static TransportFixture of(String path) {
        return new TransportFixture(
                path, TransportFixture.class.getClassLoader(), Map.of(), true, false, false, TlsSpec.OFF);
    }

    /** As here, with one more option of the path set. */
    public TransportFixture with(String option, String value) {
        Map<String, String> more = new HashMap<>(options);
        more.put(option, value);
        return new TransportFixture(path, classes, more, nativeAllowed, unixSocket, retaining, tls);
    }

    /** As here, with the transport of that name which this class loader finds. */
    public TransportFixture from(ClassLoader classes) {
        return new TransportFixture(path, classes, options, nativeAllowed, unixSocket, retaining, tls);
    }

    /** As here, where no native code may be loaded. */
    public TransportFixture withoutNatives() {
        return new TransportFixture(path, classes, options, false, unixSocket, retaining, tls);
    }

    /** As here, with a Unix-domain socket as the bootstrap connection. */
    public TransportFixture overUnixSocket() {
        return new TransportFixture(path, classes, options, nativeAllowed, true, retaining, tls);
    }

    /** As here, with links that keep what they send until it has arrived. */
    public TransportFixture retaining() {
        return new TransportFixture(path, classes, options, nativeAllowed, unixSocket, true, tls);
    }

    /** As here, with TCP connections protected so on both sides. */
    public TransportFixture with(TlsSpec tls) {
        return new TransportFixture(path, classes, options, nativeAllowed, unixSocket, retaining, tls);
    }

    /** A pair of links between two nodes, each on a loop of its own. Skips the test where the path is missing. */
    public LinkPair open() throws Exception {
        return nodes(false).link();
    }

    Transport transport() {
        return Paths.transport(path, classes);
    }

    /** What the transport of a node in this folder is told. */
    TransportSettings settings(Path runtimeFolder) {
        return new TransportSettings(runtimeFolder, nativeAllowed, options, tls);
    }

    /** What the bootstrap of a node in this folder is told. */
    TransportSettings bootstrapSettings(Path runtimeFolder) {
        return new TransportSettings(runtimeFolder, nativeAllowed, Map.of(), tls);
    }

    /** Where a node in this folder listens. */
    PeerAddress address(Path runtimeFolder) {
        return unixSocket
                ? PeerAddress.parse("unix:" + runtimeFolder.resolve("node.sock"))
                : new PeerAddress("127.0.0.1", 0);
    }

    /** Asks this new link, on its loop's thread, to keep what it sends if that is wanted. */
    void prepare(Link link) {
        if (retaining) {
            link.retain(RETAINED);
        }
    }

    NodePair nodes(boolean oneLoop) throws Exception {
        return NodePair.connect(this, oneLoop);
    }
}
