package io.weir.integration.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.service.socket.WeirSockets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Single objects are exported over Weir, in a JVM whose other sockets are the JDK's. */
class RmiFactoriesTest implements OnRoute {

    private static final String HOST = "java.rmi.server.hostname";

    // The host that stubs name is read once.
    static {
        System.setProperty(HOST, "127.0.0.1");
    }

    /** What is exported. */
    public interface Greeter extends Remote {
        String greet(String name) throws RemoteException;
    }

    private final Greeter greeter = name -> "Hello, " + name + '!';
    private Node node;

    @Override
    public Route route() {
        return Route.LOCAL;
    }

    @BeforeEach
    void use(Nodes nodes) {
        node = nodes.start("node");
        WeirSockets.use(node);
    }

    @AfterEach
    void unexport() {
        try {
            var unused = UnicastRemoteObject.unexportObject(greeter, true);
        } catch (NoSuchObjectException e) {
            // The test did without it.
        }
    }

    @Test
    void aStubThatHasTravelledCallsOverTheNodeOfItsJvm() throws IOException, ClassNotFoundException {
        Greeter stub = (Greeter) UnicastRemoteObject.exportObject(
                greeter,
                0,
                WeirSockets.rmiClientSocketFactory(),
                WeirSockets.of(node).rmiServerSocketFactory());
        byte[] travelling = bytes(stub);

        Greeter arrived = (Greeter) object(travelling);
        assertThat(arrived.greet("Ann")).isEqualTo("Hello, Ann!");
        assertThat(node.addresses()).hasSize(2);
        assertThat(node.stats()).anyMatch(each -> each.path().equals("local") && each.bytesSent() > 0);
    }

    @Test
    void theClientsFactoryIsSmallAndTellsNothing() throws IOException, ClassNotFoundException {
        RMIClientSocketFactory factory = WeirSockets.rmiClientSocketFactory();
        assertThat(bytes(factory)).hasSizeLessThan(150);
        assertThat(object(bytes(factory))).isEqualTo(factory).hasSameHashCodeAs(factory);
        assertThat(WeirSockets.of(node).rmiServerSocketFactory())
                .isEqualTo(WeirSockets.of(node).rmiServerSocketFactory());
    }

    @Test
    void theNodeOfAJvmIsChosenOnce(Nodes nodes) throws IOException {
        Node other = nodes.start("other");
        assertThatThrownBy(() -> WeirSockets.use(other))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(node.id().toString());
        assertThat(WeirSockets.ofJvm()).isSameAs(WeirSockets.ofJvm());
        node.close().block(Patience.LIMIT);
        assertThatThrownBy(WeirSockets::ofJvm).isInstanceOf(IOException.class).hasMessageContaining("is closed");
        WeirSockets.use(other);
    }

    private static byte[] bytes(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object object(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }
}
