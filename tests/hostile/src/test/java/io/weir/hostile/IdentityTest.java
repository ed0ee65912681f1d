package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.TcpWire;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;

/** Somebody says that he is the benign peer, whose session has to go on. */
@Tag("one-jdk")
class IdentityTest {

    private static final int FEATURES = 8;
    private static final byte REJOINS = 4;
    private static final int SESSIONS = 1000;

    @EachSize
    void theIdAndTheNameOfAnotherPeer(Size size) throws Exception {
        Attack.on(size, attacker -> claim(attacker, 0));
    }

    @EachSize
    void theIdOfAnotherPeerThatHasSupposedlyStartedAnew(Size size) throws Exception {
        Attack.on(size, attacker -> claim(attacker, 1));
    }

    @EachSize
    void theIdOfAnotherPeerAsItSupposedlyWasBefore(Size size) throws Exception {
        Attack.on(size, attacker -> claim(attacker, -1));
    }

    @EachSize
    void rejoiningTheSessionOfAnotherPeer(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(4, number -> {
                while (attacker.goesOn()) {
                    TcpWire wire = attacker.wire(attacker.target().open());
                    byte[] hello = attacker.target().benignIdentity().hello("");
                    hello[FEATURES] |= REJOINS;
                    long guess = ThreadLocalRandom.current().nextLong();
                    wire.send(
                            Frame.of(Kind.HELLO, 0, 0, 0).with(hello), Frame.of(Kind.REJOIN, number % 2, 0, 0, guess));
                    attacker.did();
                    while (wire.receive().kind() != Kind.REFUSE) {
                        // HELLO of the node, or REJOIN if it believes us.
                    }
                    wire.close();
                }
            });
        });
    }

    /** One id is good for one session's memory, whoever claims it. */
    @EachSize
    void manySessionsOfOneId(Size size) throws Exception {
        Attack.on(size, attacker -> {
            Identity claimed = attacker.target().benignIdentity();
            AtomicReference<Figures> held = new AtomicReference<>();
            attacker.attack(4, number -> {
                while (attacker.goesOn() && attacker.done() < SESSIONS) {
                    attacker.did();
                    try {
                        attacker.session(claimed).open("still", 0, 1, 1);
                    } catch (IOException refused) {
                        // As it should be, when there is no memory left.
                    }
                }
                if (number == 0) {
                    held.set(attacker.target().memory());
                } else {
                    attacker.lurk();
                }
            });
            assertThat(held.get().get("used"))
                    .as(held.get().line())
                    .isLessThanOrEqualTo(held.get().get("total"));
        });
    }

    private static void claim(Attacker attacker, long later) throws InterruptedException {
        Identity benign = attacker.target().benignIdentity();
        Identity claimed = new Identity(benign.id(), benign.incarnation() + later, benign.name(), benign.secret());
        attacker.attack(2, number -> {
            while (attacker.goesOn()) {
                attacker.did();
                try {
                    attacker.session(claimed).read();
                } catch (IOException refused) {
                    // As it should be.
                }
            }
        });
    }
}
