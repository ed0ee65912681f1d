package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Link;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections come about, or fail with a sentence that names the address. */
interface ListeningContract extends Receptions {

    @Test
    default void tellsThePortThatWasChosen() throws Exception {
        try (Reception reception = Reception.open(contract())) {
            assertThat(reception.listener.address().host()).isEqualTo("127.0.0.1");
            assertThat(reception.listener.address().port()).isBetween(1, 65_535);
            reception.stillServes();
        }
    }

    @Test
    default void framesSentAtOnceWaitForTheAcceptingSide() throws Exception {
        try (Reception reception = Reception.open(contract(), new PeerAddress("127.0.0.1", 0), false)) {
            FrameStream stream = FrameStream.mixed("impatient", 1_000);
            End client = reception.connect();
            client.sendAll(stream, 20);
            End server = reception.next();
            server.pass(50);
            server.expect(stream);
            server.awaitReceived(20);
        }
    }

    @Test
    default void servesManyConnectionsAtOnce() throws Exception {
        try (Reception reception = Reception.open(contract())) {
            FrameStream stream = FrameStream.mixed("crowd", 500);
            List<End> clients = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                End client = reception.connect();
                client.expect(stream);
                clients.add(client);
            }
            for (int i = 0; i < 40; i++) {
                reception.next().sendAll(stream, 20);
            }
            clients.forEach(client -> client.awaitReceived(20));
        }
    }

    @Test
    default void namesTheAddressThatIsInUse() throws Exception {
        try (Reception reception = Reception.open(contract())) {
            PeerAddress taken = reception.listener.address();
            assertThatThrownBy(() -> Reception.open(contract(), taken, true))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining(taken.host() + ':' + taken.port());
            reception.stillServes();
        }
    }

    @Test
    default void namesThePeerThatIsAbsent() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        try (Reception reception = Reception.open(contract())) {
            for (PeerAddress absent :
                    List.of(new PeerAddress("127.0.0.1", free), new PeerAddress("no-such.invalid", free))) {
                assertThatThrownBy(() -> Await.value(
                                reception.bootstrap.connect(absent, reception.settings, reception.connecting)))
                        .isInstanceOf(PeerUnavailable.class)
                        .hasMessageContaining(absent.host())
                        .hasMessageContaining(Integer.toString(absent.port()));
            }
            reception.stillServes();
        }
    }

    @Test
    default void aDisposedListenerKeepsItsConnections() throws Exception {
        try (Reception reception = Reception.open(contract())) {
            FrameStream stream = FrameStream.mixed("kept on", 1_000);
            End client = reception.connect();
            End server = reception.next();
            server.expect(stream);
            reception.listener.dispose();
            reception.listener.dispose();
            Await.until("the listener says that it is disposed", reception.listener::isDisposed);
            Await.until("the port is closed", () -> refuses(reception));
            client.sendAll(stream, 50);
            server.awaitReceived(50);
        }
    }

    private static boolean refuses(Reception reception) {
        try {
            reception.touch();
            return false;
        } catch (PeerUnavailable e) {
            return true;
        }
    }

    @Test
    default void abandonedConnectsLeaveNothing() throws Exception {
        try (Reception reception = Reception.open(contract())) {
            for (int i = 0; i < 30; i++) {
                reception
                        .bootstrap
                        .connect(reception.listener.address(), reception.settings, reception.connecting)
                        .subscribe(Link::close, error -> {
                            throw new AssertionError(error);
                        })
                        .dispose();
            }
            reception.stillServesAmongOthers();
        }
    }

    @Test
    default void listensOnASocketOfTheHost(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("node.sock");
        Reception reception;
        try {
            reception = Reception.open(contract(), PeerAddress.parse("unix:" + file), true);
        } catch (Misconfigured e) {
            throw Paths.missing("unix", e.toString());
        }
        try (reception) {
            assertThat(reception.listener.address()).isEqualTo(PeerAddress.parse("unix:" + file));
            reception.stillServes();
            assertThat(Files.exists(file)).isTrue();
        }
        Await.until("the socket's file is gone", () -> !Files.exists(file));
    }
}
