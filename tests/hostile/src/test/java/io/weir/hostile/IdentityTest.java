package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Key;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Refusal;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Before anything is proved, as the other peer with a key of one's own, and as oneself. */
    @EachSize
    void rejoiningTheSessionOfAnotherPeer(Size size) throws Exception {
        Identity self = Identity.fresh();
        Queue<Integer> unproved = new ConcurrentLinkedQueue<>();
        Queue<Integer> claimed = new ConcurrentLinkedQueue<>();
        Queue<Integer> oneself = new ConcurrentLinkedQueue<>();
        Attack.on(size, attacker -> {
            Identity other = attacker.target().claimed();
            attacker.attackAgain(6, number -> {
                try (TcpWire wire = attacker.wire(attacker.target().open())) {
                    switch (number % 3) {
                        case 0 -> {
                            wire.send(hello(rejoining(other, Key.fresh())), rejoin(number));
                            unproved.add(Attacker.refused(wire));
                        }
                        case 1 -> {
                            prove(wire, other);
                            claimed.add(Attacker.refused(wire));
                        }
                        default -> {
                            prove(wire, self);
                            oneself.add(rejoined(wire, number));
                        }
                    }
                    // Not before each of them was done.
                    if (!unproved.isEmpty() && !claimed.isEmpty() && !oneself.isEmpty()) {
                        attacker.did();
                    }
                }
            });
        });
        assertThat(unproved).isNotEmpty().containsOnly(0);
        assertThat(claimed).isNotEmpty().containsOnly(Flag.UNPROVED);
        assertThat(oneself).contains(Flag.ENDED).isSubsetOf(Flag.ENDED, Flag.OVERLOADED);
    }

    /** One id is good for one session's memory, whoever has it. */
    @EachSize
    void manySessionsOfOneId(Size size) throws Exception {
        Identity one = Identity.fresh();
        Attack.on(size, attacker -> {
            AtomicReference<Figures> held = new AtomicReference<>();
            attacker.attack(4, number -> {
                while (attacker.goesOn() && attacker.done() < SESSIONS) {
                    attacker.did();
                    try {
                        attacker.session(one).open("still", 0, 1, 1);
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
        Identity claimed = attacker.target().claimed().later(later);
        AtomicInteger unproved = new AtomicInteger();
        Queue<String> others = new ConcurrentLinkedQueue<>();
        attacker.attackAgain(2, number -> {
            try {
                attacker.session(claimed).close();
                others.add("somebody else has come in as " + claimed.name());
            } catch (Refusal refused) {
                attacker.did();
                if (refused.flags() == Flag.UNPROVED) {
                    unproved.incrementAndGet();
                } else {
                    others.add(String.valueOf(refused.getMessage()));
                }
            }
        });
        assertThat(others).isEmpty();
        assertThat(unproved).hasPositiveValue();
    }

    private static byte[] rejoining(Identity identity, Key ephemeral) {
        byte[] hello = identity.hello("", ephemeral);
        hello[FEATURES] |= REJOINS;
        return hello;
    }

    private static Frame hello(byte[] body) {
        return Frame.of(Kind.HELLO, 0, 0, 0).with(body);
    }

    private static Frame rejoin(int aux) {
        return Frame.of(Kind.REJOIN, 0, 0, aux, ThreadLocalRandom.current().nextLong());
    }

    /** The flags with which the node refuses this when it is sure who we are, or before. */
    private static int rejoined(TcpWire wire, int number) throws IOException {
        Frame answer = wire.receive();
        if (answer.kind() == Kind.PROOF) {
            wire.send(rejoin(number));
            return Attacker.refused(wire);
        }
        assertThat(answer.kind()).isEqualTo(Kind.REFUSE);
        return answer.flags();
    }

    private static void prove(TcpWire wire, Identity identity) throws IOException {
        Key ephemeral = Key.fresh();
        byte[] proof = Session.greet(wire, identity, ephemeral, rejoining(identity, ephemeral))
                .proof();
        wire.send(Frame.of(Kind.PROOF, 0, 0, 0).with(proof));
    }
}
