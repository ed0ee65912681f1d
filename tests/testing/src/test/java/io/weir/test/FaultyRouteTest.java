package io.weir.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.PeerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that echoes, over plain sockets. */
class FaultyRouteTest {

    private static final int PATIENCE = 60_000;

    private ServerSocket server;
    private FaultyRoute route;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        route = FaultyRoute.to(new PeerAddress("127.0.0.1", server.getLocalPort()));
        begin(() -> {
            while (true) {
                Socket next = server.accept();
                begin(() -> {
                    try (next) {
                        next.getInputStream().transferTo(next.getOutputStream());
                    }
                });
            }
        });
    }

    @AfterEach
    void end() throws IOException {
        route.close();
        server.close();
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void begin(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException e) {
                // It has ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(PATIENCE);
        socket.connect(
                new InetSocketAddress(route.address().host(), route.address().port()), PATIENCE);
        return socket;
    }

    private static void say(Socket socket, int what) throws IOException {
        socket.getOutputStream().write(what);
    }

    private static void echoes(Socket socket, int what) throws IOException {
        say(socket, what);
        assertThat(socket.getInputStream().read()).isEqualTo(what);
    }

    @Test
    void letsThroughWhatIsSaidAndTheEnd() throws IOException {
        try (Socket socket = connect()) {
            byte[] much = new byte[3 << 20];
            for (int i = 0; i < much.length; i++) {
                much[i] = (byte) (i * 31 + (i >> 8));
            }
            begin(() -> {
                socket.getOutputStream().write(much);
                socket.shutdownOutput();
            });
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(much);
        }
        assertThat(route.accepted()).isEqualTo(1);
    }

    @Test
    void aDelayCountsInBothDirections() throws IOException {
        try (Socket socket = connect()) {
            echoes(socket, 1);
            route.delay(Duration.ofMillis(50));
            long begun = System.nanoTime();
            echoes(socket, 2);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        }
    }

    @Test
    void whatIsCutArrivesWhenItIsMended() throws IOException {
        try (Socket socket = connect()) {
            echoes(socket, 1);
            route.cut();
            say(socket, 2);
            socket.setSoTimeout(50);
            InputStream in = socket.getInputStream();
            assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
            try (Socket another = connect()) {
                say(another, 3);
                another.setSoTimeout(50);
                assertThatThrownBy(another.getInputStream()::read).isInstanceOf(SocketTimeoutException.class);
                route.mend();
                another.setSoTimeout(PATIENCE);
                assertThat(another.getInputStream().read()).isEqualTo(3);
            }
            socket.setSoTimeout(PATIENCE);
            assertThat(in.read()).isEqualTo(2);
        }
    }

    @Test
    void whatIsCutIsBounded() throws IOException {
        try (Socket socket = connect()) {
            route.cut();
            AtomicLong taken = new AtomicLong();
            CompletableFuture<Void> done = new CompletableFuture<>();
            byte[] piece = new byte[1 << 16];
            begin(() -> {
                try {
                    for (int i = 0; i < 4_000; i++) {
                        socket.getOutputStream().write(piece);
                        taken.addAndGet(piece.length);
                    }
                } finally {
                    done.complete(null);
                }
            });
            long seen = -1;
            while (taken.get() != seen) {
                seen = taken.get();
                assertThatThrownBy(() -> done.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            }
            assertThat(seen).isLessThan(4_000L << 16);
            begin(() -> route.mend());
            assertThat(socket.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
        }
    }

    @Test
    void aResetEndsWhatIsOpen() throws IOException {
        try (Socket socket = connect()) {
            echoes(socket, 1);
            route.reset();
            assertThatThrownBy(socket.getInputStream()::read).isInstanceOf(SocketException.class);
            try (Socket next = connect()) {
                echoes(next, 2);
            }
        }
    }

    @Test
    void aResetOfOneSideReachesTheOther() throws IOException {
        server.close();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultyRoute its = FaultyRoute.to(new PeerAddress("127.0.0.1", other.getLocalPort()));
                Socket near = new Socket("127.0.0.1", its.address().port())) {
            near.setSoTimeout(PATIENCE);
            try (Socket far = other.accept()) {
                far.setSoLinger(true, 0);
            }
            assertThatThrownBy(near.getInputStream()::read).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void refusesAndListensAgainAtTheSameAddress() throws IOException {
        PeerAddress address = route.address();
        try (Socket socket = connect()) {
            echoes(socket, 1);
            route.refuse();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            echoes(socket, 2);
            route.mend();
            assertThat(route.address()).isEqualTo(address);
            try (Socket next = connect()) {
                echoes(next, 3);
            }
        }
    }

    @Test
    void nothingIsLeftWhenItIsClosed() throws IOException {
        try (Socket socket = connect()) {
            echoes(socket, 1);
            route.cut();
            route.close();
            route.close();
            assertThatThrownBy(socket.getInputStream()::read).isInstanceOf(SocketException.class);
        }
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        assertThatThrownBy(route::mend)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void aSocketInAFolderIsRefused() {
        assertThatThrownBy(() -> FaultyRoute.to(PeerAddress.parse("unix:/tmp/somewhere")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tcp://127.0.0.1:0");
    }
}
