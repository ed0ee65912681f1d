package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A process of the same user passes connections that linger over the node's Unix-domain sockets. */
class PassedDescriptorsTest {

    private static final byte[] NOTHING = {};
    private static final byte[] MAGIC = {'W', 'E', 'I', 'R', 2, 0, 0, 0};
    private static final int SMALLEST = 64 << 10;

    /** In an offer of shared memory: where the nonce lies, and behind it the path of the socket. */
    private static final int NONCE = 16;

    private static final int PATH = 32;

    private static final int ROUNDS = 3;

    /** Linux 6.16, the first that lets a socket refuse what is passed. */
    private static final int REFUSES = 616;

    @EachSize
    void connectionsThatLinger(Size size) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"));
        AtomicInteger served = new AtomicInteger();
        Attack.on(size, attacker -> {
            try (Passer passer = new Passer(attacker.target())) {
                attacker.attack(1, number -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        passTo(attacker, passer);
                        Session session = attacker.session().read();
                        Channel echo = session.open("echo", 0, 1, 1);
                        if (echo.awaitAccept()) {
                            served.incrementAndGet();
                        }
                        session.close();
                    }
                    attacker.did();
                });
            }
            assertThat(served).as("while all linger; %s", attacker.cuts()).hasValue(ROUNDS);
        });
    }

    private static void passTo(Attacker attacker, Passer passer) throws IOException, InterruptedException {
        if (kernel() >= REFUSES) {
            String socket = attacker.target().socketPath();
            passer.pass(socket, NOTHING, false);
            byte[] hello = Identity.fresh().hello("");
            passer.pass(socket, Frame.of(Kind.HELLO, 0, 0, 0).with(hello).bytes(), true);
        }
        try (TcpWire wire = attacker.wire(attacker.target().open())) {
            passer.pass(path(shm(wire)), NOTHING, false);
        }
        try (TcpWire wire = attacker.wire(attacker.target().open())) {
            byte[] offer = shm(wire);
            byte[] greeting = ByteBuffer.allocate(MAGIC.length + PATH - NONCE)
                    .put(MAGIC)
                    .put(offer, NONCE, PATH - NONCE)
                    .array();
            passer.pass(path(offer), greeting, true);
        }
    }

    private static int kernel() {
        String[] version = System.getProperty("os.version").split("[^0-9]+");
        return 100 * Integer.parseInt(version[0]) + Integer.parseInt(version[1]);
    }

    /** What the node offers to one who wants to share memory. */
    private static byte[] shm(TcpWire wire) throws IOException {
        int uid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        byte[] ours = ByteBuffer.allocate(PATH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC)
                .putInt(SMALLEST)
                .putInt(SMALLEST)
                .array();
        return Session.offers(wire, Identity.fresh(), uid, "shm", ours);
    }

    private static String path(byte[] offer) {
        return new String(offer, PATH, offer.length - PATH, StandardCharsets.UTF_8);
    }
}
