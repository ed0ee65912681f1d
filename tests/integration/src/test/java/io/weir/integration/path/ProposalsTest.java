package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.PathSwitch;
import io.weir.core.FrameKind;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Somebody who agrees on paths for what they cost the node, or for what they tell of its surroundings. */
@EnabledOnOs(OS.LINUX)
class ProposalsTest implements OnRoute {

    /** What stands before the adapter's own bytes in an OFFER. */
    private static final int NONCE = 8;

    private static Node far(Nodes nodes) {
        return nodes.start(Route.any("far").path("local", PathSwitch.OFF).build());
    }

    /** What an adapter at the other end of a TCP connection can say to the one for shared memory here. */
    private static byte[] offerFor(Stranger.Arrived offer) {
        byte[] versionAndSizes = Arrays.copyOfRange(offer.body(), NONCE, NONCE + 16);
        return Arrays.copyOf(versionAndSizes, 32);
    }

    /** Files of shared memory that this process has open at this moment. */
    private static long sharedMemory() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(ProposalsTest::isSharedMemory).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSharedMemory(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("weir-shm");
        } catch (IOException e) {
            // It was closed in between.
            return false;
        }
    }

    /** Looks again and again until it is closed: how many files of shared memory there were at most. */
    private static final class Lookout implements AutoCloseable {

        private final AtomicBoolean over = new AtomicBoolean();
        private final Thread thread = new Thread(this::look, "lookout");
        private volatile long most;

        Lookout() {
            thread.start();
        }

        private void look() {
            while (!over.get()) {
                most = Math.max(most, sharedMemory());
            }
        }

        @Override
        public void close() {
            over.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void whoOnlyClaimsToBeOfThisHostAndUserGetsNoMemory(Nodes nodes) {
        Node far = far(nodes);
        Pair pair = nodes.connect(nodes.start("near"), far);
        Lookout lookout = new Lookout();
        try (lookout;
                Stranger stranger = Stranger.connect(far.address())) {
            stranger.greet();
            stranger.card(Map.of("shm", "", "tcp", ""));
            stranger.propose(1, "shm");
            byte[] offer = offerFor(stranger.await(FrameKind.OFFER));
            stranger.offer(1, 42, offer);
            for (int attempt = 2; attempt <= 30; attempt++) {
                stranger.propose(attempt, "shm");
                stranger.offer(attempt, 42, offer);
            }
            for (int attempt = 2; attempt <= 30; attempt++) {
                assertThat(stranger.await(FrameKind.OFFER).aux()).isEqualTo(attempt);
            }
            pair.settle();
        }
        assertThat(lookout.most).isZero();
        pair.settle();
    }

    @Test
    void whoProposesWithoutEndInTheHandshakeIsShownTheDoor(Nodes nodes) {
        Node far = far(nodes);
        Pair pair = nodes.connect(nodes.start("near"), far);
        try (Stranger stranger = Stranger.connect(far.address())) {
            stranger.greet();
            stranger.card(Map.of("shm", "", "tcp", ""));
            for (int attempt = 1; attempt <= 65; attempt++) {
                stranger.propose(attempt, "shm");
            }
            assertThat(stranger.refusal().text()).contains("more than 64 paths were proposed");
            stranger.awaitEnd();
        }
        pair.settle();
    }

    /** The session goes on: what came too often is refused, and the path that there is stays. */
    @Test
    void whoProposesWithoutEndInASessionIsRefused(Nodes nodes) {
        Node far = far(nodes);
        Pair pair = nodes.connect(nodes.start("near"), far);
        try (Stranger stranger = Stranger.inSession(far.address())) {
            for (int attempt = 2; attempt <= 500; attempt++) {
                stranger.propose(attempt, "shm");
            }
            Stranger.Arrived refusal = stranger.await(FrameKind.FAILED);
            assertThat(refusal.text()).isEqualTo("more than 100 paths were proposed in a second");
            assertThat(refusal.aux()).isGreaterThan(100);
            stranger.open(1, "nobody", 0, 1, 1);
            assertThat(stranger.await(FrameKind.ERROR)).isNotNull();
            pair.settle();
        }
    }

    /**
     * A port where nobody listens, one of a service that says who it is, and another host: all of that looks the same
     * to the peer.
     */
    @ParameterizedTest
    @ValueSource(strings = {"nobody", "talker", "other host"})
    void whoNamesAnAddressDoesNotHearWhatIsThere(String what, Nodes nodes) throws IOException {
        Node node = nodes.start("node");
        Pair pair = nodes.connect(nodes.start("near"), node);
        try (ServerSocket there = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String address =
                    what.equals("other host") ? "tcp://192.0.2.1:22" : "tcp://127.0.0.1:" + there.getLocalPort();
            if (what.equals("nobody")) {
                there.close();
            }
            try (StrangersDoor door = new StrangersDoor(stranger -> {
                stranger.greet();
                stranger.card(Map.of("tcp", ""));
                int attempt = stranger.await(FrameKind.PROPOSE).aux();
                byte[] name = address.getBytes(StandardCharsets.UTF_8);
                byte[] offer = Arrays.copyOf(new byte[16], 16 + name.length);
                System.arraycopy(name, 0, offer, 16, name.length);
                stranger.offer(attempt, 42, offer);
                if (what.equals("talker")) {
                    talk(there);
                }
                assertThat(stranger.await(FrameKind.FAILED).text())
                        .isEqualTo("could not be opened; why is known there");
                stranger.await(FrameKind.PROBE);
                stranger.send(FrameKind.PROBED, 0, 0, 0, 0, -1, new byte[0], new byte[0]);
                assertThat(stranger.refusal().text()).isEqualTo("no path could be opened; why is known there");
            })) {
                StepVerifier.create(node.connect(PeerAddress.parse(door.address())))
                        .consumeErrorWith(error -> assertThat(error)
                                .isInstanceOf(PathRequired.class)
                                .hasMessageContaining(address)
                                .hasMessageContaining(
                                        switch (what) {
                                            case "nobody" -> "refused";
                                            case "talker" -> "it sent a frame of";
                                            default -> "weir.transport.tcp.data-networks";
                                        }))
                        .verify(Patience.LIMIT);
            }
        }
        pair.settle();
    }

    private static void talk(ServerSocket there) {
        try (Socket came = there.accept()) {
            came.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
            // Until it hangs up.
            came.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // As it did not read all of this.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
