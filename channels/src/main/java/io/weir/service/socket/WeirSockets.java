package io.weir.service.socket;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.RMISocketFactory;
import java.time.Duration;
import javax.net.SocketFactory;

/**
 * {@code java.net} sockets over the channels of a node, for programs and libraries that know nothing else. They behave
 * as the JDK's do; under them is the fastest path between the two nodes.
 *
 * <p>A server socket at port <i>p</i> makes the node listen at TCP port <i>p</i>, and serve the port
 * {@code weir.socket.}<i>p</i>. A socket that connects to host <i>h</i> and port <i>p</i> connects the node to the one
 * that listens there, and opens a channel to that port. So both sides have to use these sockets; whoever may be a peer
 * may connect.
 *
 * <p>Sockets are for threads that may wait: on a loop of a node they fail with {@link IllegalStateException} instead of
 * blocking it. A thread that waits looks for as long as the node's loops do, {@code weir.waiting}, and for 1 ms at
 * most, before it sleeps; over shared memory it meanwhile does what the loop would do for it. Any thread may use this.
 */
public final class WeirSockets {

    private static final int BACKLOG = 50;

    /** However a node waits: many threads may wait for sockets. */
    private static final Duration LONGEST_SPIN = Duration.ofMillis(1);

    private final Node node;
    private final Connections connections;
    private volatile boolean over;

    private WeirSockets(Node node) {
        this.node = node;
        this.connections = new Connections(node);
        var unused = node.closed().subscribe(nothing -> {}, error -> {}, () -> over = true);
    }

    /** Sockets of this node. */
    public static WeirSockets of(Node node) {
        return new WeirSockets(node);
    }

    /** A socket that is not connected. */
    public Socket socket() throws SocketException {
        return new ChannelSocket(end());
    }

    private SocketEnd end() {
        Duration spin = node.spec().waiting().spin();
        // With one processor, the thread that is waited for would not run.
        boolean alone = Runtime.getRuntime().availableProcessors() == 1;
        return new SocketEnd(connections, alone ? 0 : Math.min(spin.toNanos(), LONGEST_SPIN.toNanos()));
    }

    /** Makes sockets, connected ones and others. What is said of the local address means nothing. */
    public SocketFactory socketFactory() {
        return new ChannelSocketFactory(this);
    }

    /**
     * As {@link #serverSocket(InetSocketAddress, int)}, at the host where the node listens, with room for 50 that wait.
     */
    public ServerSocket serverSocket(int port) throws IOException {
        return serverSocket(new InetSocketAddress(port), BACKLOG);
    }

    /**
     * A server socket. Closing it ends no accepted socket.
     *
     * @param address where the node listens from now on as well; any address of the host stands for the one where it
     *     listens already, port 0 for any free one
     * @param backlog connections that may wait to be accepted; further ones wait for room
     * @throws java.net.BindException if the port is taken, or others than this host's could reach it and nothing keeps
     *     strangers out
     */
    public ServerSocket serverSocket(InetSocketAddress address, int backlog) throws IOException {
        ServerSocket socket = new ChannelServerSocket(new ListeningEnd(node), this::end);
        try {
            socket.bind(address, backlog);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    /**
     * Lets sockets of other nodes reach a TCP address that this host reaches, until it is closed.
     *
     * @param port where they connect to, as {@link #serverSocket(int)} has it
     * @param target what they reach; may take as long to connect to as {@code weir.timeout.connect} says
     */
    public SocketRelay relay(int port, InetSocketAddress target) throws IOException {
        int timeout = Math.toIntExact(node.spec().timeouts().connect().toMillis());
        return SocketRelay.start(serverSocket(port), target, timeout);
    }

    /**
     * For {@link RMISocketFactory#setSocketFactory}: whatever RMI does in this JVM then goes over the node, the
     * registry too. The other side has to do the same. Two of the same node are equal.
     */
    public RMISocketFactory rmiSocketFactory() {
        return new RmiSockets(this);
    }

    /** For exporting single objects, together with {@link #rmiClientSocketFactory}. Two of the same node are equal. */
    public RMIServerSocketFactory rmiServerSocketFactory() {
        return new RmiSockets(this);
    }

    /**
     * For exporting single objects: travels in their stubs, and makes sockets of {@link #ofJvm() the JVM's node} where
     * these are used. Holds nothing else.
     */
    public static RMIClientSocketFactory rmiClientSocketFactory() {
        return new WeirClientSocketFactory();
    }

    /**
     * Makes this the node of {@link #ofJvm()}, in place of one that would be started. The caller closes it.
     *
     * @throws IllegalStateException if it is another one already that has not been closed
     */
    public static void use(Node node) {
        JvmNode.use(node);
    }

    /**
     * Sockets of the JVM's node, for those that nobody can give one: stubs that came from elsewhere. It is the one of
     * {@link #use}, or else starts now from {@link NodeSpec#fromSystem()}, which may block, and closes when the JVM
     * ends.
     *
     * @throws IOException if no node can be started, with the reason, or the one that there was has been closed
     */
    public static WeirSockets ofJvm() throws IOException {
        return JvmNode.get();
    }

    Node node() {
        return node;
    }

    boolean isOver() {
        return over;
    }
}
