package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Exchange;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Key;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Refusal;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The exchange of keys, which costs the node more than most of what a stranger can make it do. */
@Tag("one-jdk")
class ExchangeTest {

    /** What was made beforehand, so that the strangers have little to do. */
    private static final Key EPHEMERAL = Key.fresh();

    private static final Identity STRANGER = Identity.fresh();
    private static final Identity KNOWING = Identity.knowing(Victim.SECRET);

    private static final int FLOODERS = 3;

    /** More of them where each waits for what the node says. */
    private static final int TALKERS = 8;

    private static final int HELD = 16;

    private static final int PROOF = Key.LENGTH + 2 * Exchange.TAG;
    private static final int ANY = -1;

    /** {@code weir.timeout.handshake} where nothing is set, and what the machine may add. */
    private static final long HANDSHAKE_MILLIS = 5_000;

    private static final long SLACK_MILLIS = 5_000;

    /** {@code weir.max.handshakes} where nothing is set. */
    private static final int ROOM = 256;

    private static final int FEW = 6;

    private static final int DRIBBLE_MILLIS = 100;

    /** Where version, features and what was dialled are in a HELLO. */
    private static final int MAJOR = 4;

    private static final int FEATURES = 8;
    private static final int SECRET = 2;

    /** The points of Curve25519 whose order divides 8, also as numbers beyond the prime, and with the bit on top. */
    private static final List<byte[]> SMALL = Stream.of(
                    "0000000000000000000000000000000000000000000000000000000000000000",
                    "0100000000000000000000000000000000000000000000000000000000000000",
                    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                    "0000000000000000000000000000000000000000000000000000000000000080",
                    "0100000000000000000000000000000000000000000000000000000000000080")
            .map(HexFormat.of()::parseHex)
            .toList();

    /** Says something wrong over a new connection; the refusal may come before all of it is said. */
    interface Wrong {
        void say(TcpWire wire) throws IOException;
    }

    /** Something wrong, said to the node with a secret or to the other one, and the flags of the refusal. */
    private record Case(String name, boolean secret, int flags, Wrong wrong) {

        static Case breach(String name, Wrong wrong) {
            return new Case(name, false, 0, wrong);
        }

        static Case unproved(String name, Wrong wrong) {
            return new Case(name, false, Flag.UNPROVED, wrong);
        }

        static Case unprovedSecret(String name, Wrong wrong) {
            return new Case(name, true, Flag.UNPROVED, wrong);
        }

        /** The document does not say what it is, but nobody comes in so. */
        static Case refused(String name, Wrong wrong) {
            return new Case(name, false, ANY, wrong);
        }

        void check(Attacker attacker) throws IOException {
            Target target = attacker.target();
            try (TcpWire wire = attacker.wire(secret ? target.secret() : target.open())) {
                int found = said(wire);
                if (flags != ANY) {
                    assertThat(found).as("flags of the refusal, %s", name).isEqualTo(flags);
                }
                attacker.did();
            } catch (IOException ended) {
                throw new IOException("no refusal, " + name, ended);
            }
        }

        private int said(TcpWire wire) throws IOException {
            try {
                wrong.say(wire);
                return Attacker.refused(wire);
            } catch (Refusal refused) {
                return refused.flags();
            }
        }
    }

    /** For each, the node has to take part in the exchange as far as it can go without us. */
    @EachSize
    void hellosWithKeysThatAreValid(Size size) throws Exception {
        AtomicLong greeted = new AtomicLong();
        Attack.on(size, attacker -> {
            attacker.attack(FLOODERS, number -> {
                Deque<TcpWire> held = new ArrayDeque<>();
                while (attacker.goesOn()) {
                    TcpWire wire = attacker.wire(attacker.target().open());
                    held.add(wire);
                    try {
                        wire.send(greeting(wire, STRANGER));
                        attacker.did();
                    } catch (IOException cut) {
                        // Refused already.
                    }
                    if (held.size() > HELD) {
                        TcpWire first = held.remove();
                        greeted.addAndGet(hasProof(first) ? 1 : 0);
                        first.close();
                    }
                }
            });
        });
        assertThat(greeted).as("exchanges in which the node took part").hasPositiveValue();
    }

    /** Whether the node has said PROOF before it has ended this, or does soon. */
    private static boolean hasProof(TcpWire wire) {
        try {
            Frame frame = wire.receive();
            while (frame.kind() != Kind.PROOF) {
                frame = wire.receive();
            }
            return true;
        } catch (IOException ended) {
            return false;
        }
    }

    /** All that the node can be made to do for somebody who does not come in. */
    @EachSize
    void exchangesWhoseLastTagIsWrong(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attackAgain(TALKERS, number -> {
                try (TcpWire wire = attacker.wire(attacker.target().open())) {
                    wire.send(proof(flipped(rightProof(wire), PROOF - 1)));
                    assertThat(Attacker.refused(wire)).isIn(Flag.UNPROVED, Flag.OVERLOADED);
                    attacker.did();
                }
            });
        });
    }

    /** In HELLO, and as that of which the id is made: whoever guesses the outcome would be right. */
    @EachSize
    void keysOfSmallOrder(Size size) throws Exception {
        List<Case> cases = new ArrayList<>();
        for (byte[] point : SMALL) {
            Key small = Key.ofSmallOrder(point);
            String name = HexFormat.of().formatHex(point);
            cases.add(Case.breach("ephemeral key " + name, wire -> prove(wire, STRANGER, small)));
            cases.add(Case.refused("key " + name, wire -> prove(wire, Identity.of(small), EPHEMERAL)));
            cases.add(Case.breach("both keys " + name, wire -> prove(wire, Identity.of(small), small)));
        }
        refused(size, cases);
    }

    @EachSize
    void proofsThatAreWrong(Size size) throws Exception {
        List<Case> cases = new ArrayList<>();
        for (int at : new int[] {0, 31, 32, 47, 48, 63}) {
            cases.add(Case.unproved("another byte " + at, wire -> wire.send(proof(flipped(rightProof(wire), at)))));
        }
        cases.add(Case.unproved("zeros", wire -> say(wire, STRANGER, new byte[PROOF])));
        // One by a former secret as well, which only he has who has a secret.
        cases.add(Case.unprovedSecret("more zeros", wire -> say(wire, KNOWING, new byte[PROOF + Exchange.TAG])));
        for (int length : new int[] {0, 15, 16, 17, 47, 48, 63, 65, 79, 80, 81, 96, 4096}) {
            cases.add(Case.breach(
                    length + " bytes", wire -> wire.send(proof(Arrays.copyOf(rightProof(wire), length)))));
        }
        refused(size, cases);
    }

    @EachSize
    void proofsThatHaveNoPlace(Size size) throws Exception {
        Attack.on(size, attacker -> {
            Frame[] recorded = record(attacker);
            try (TcpWire wire = attacker.wire(attacker.target().open())) {
                // Before HELLO, where the node may close without a word.
                wire.send(recorded[1], recorded[0]);
                assertThat(kindsUntilTheEnd(wire)).isEmpty();
            }
            refused(
                    attacker,
                    List.of(
                            Case.breach("twice", ExchangeTest::proveTwice),
                            Case.refused("early", wire -> wire.send(recorded)),
                            Case.unproved("of another connection", wire -> replay(wire, recorded)),
                            Case.refused("said back", ExchangeTest::sayBack)));
        });
    }

    @EachSize
    void hellosThatAreWrong(Size size) throws Exception {
        refused(
                size,
                List.of(
                        Case.breach("version 1", wire -> greet(wire, MAJOR, 1)),
                        Case.breach("version 3", wire -> greet(wire, MAJOR, 3)),
                        Case.unproved("with a secret", wire -> greet(wire, FEATURES, SECRET)),
                        Case.unprovedSecret("without a secret", wire -> greet(wire, FEATURES, 0)),
                        Case.unprovedSecret("has dialled something else", ExchangeTest::elsewhere)));
    }

    /** A proof within a session ends that session, and nobody else's. */
    @EachSize
    void proofsInSessions(Size size) throws Exception {
        attackInSessions(size, proof(new byte[PROOF]), proof(new byte[Exchange.TAG + 1]));
    }

    /**
     * Who goes no further than HELLO, or says his PROOF a byte at a time, is turned away when his time is over. His
     * place is free then.
     */
    @Test
    void exchangesThatStop() throws Exception {
        Attack.on(Size.TIGHT, attacker -> {
            long begun = System.nanoTime();
            List<TcpWire> first = occupy(attacker, ROOM);
            // Who proves himself takes the place of one who has not.
            attacker.session().close();
            byte[] proof = proof(new byte[PROOF]).bytes();
            for (int at = 0; at < proof.length - 1 && millisSince(begun) < HANDSHAKE_MILLIS; at++) {
                for (int wire = 0; wire < ROOM; wire += 2) {
                    dribble(first.get(wire), proof[at]);
                }
                TimeUnit.MILLISECONDS.sleep(DRIBBLE_MILLIS);
            }
            for (TcpWire wire : first) {
                assertThat(kindsUntilTheEnd(wire)).isEmpty();
            }
            assertThat(millisSince(begun)).isBetween(HANDSHAKE_MILLIS, HANDSHAKE_MILLIS + SLACK_MILLIS);
            // All of the room again.
            List<TcpWire> second = occupy(attacker, ROOM - FEW);
            attacker.session().close();
            first.forEach(TcpWire::close);
            second.forEach(TcpWire::close);
        });
    }

    /** So many connections over which the node has said PROOF, all at once. */
    private static List<TcpWire> occupy(Attacker attacker, int places) throws IOException {
        List<TcpWire> wires = new ArrayList<>();
        for (int place = 0; place < places; place++) {
            TcpWire wire = attacker.wire(attacker.target().open());
            wires.add(wire);
            rightProof(wire);
            attacker.did();
        }
        return wires;
    }

    private static void dribble(TcpWire wire, byte one) {
        try {
            wire.raw(new byte[] {one});
        } catch (IOException ended) {
            // As it should be, some time.
        }
    }

    /** The kinds of all frames before the end, which is a REFUSE, or comes without a word. */
    private static List<Integer> kindsUntilTheEnd(TcpWire wire) throws IOException {
        List<Integer> kinds = new ArrayList<>();
        try {
            for (Frame frame = wire.receive(); frame.kind() != Kind.REFUSE; frame = wire.receive()) {
                kinds.add(frame.kind());
            }
        } catch (EOFException | SocketException closed) {
            // That is the end as well.
        }
        return kinds;
    }

    private static long millisSince(long begun) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private static void refused(Size size, List<Case> cases) throws Exception {
        Attack.on(size, attacker -> refused(attacker, cases));
    }

    /** Each of them at least once, and all of them again and again. */
    private static void refused(Attacker attacker, List<Case> cases) throws IOException, InterruptedException {
        for (Case each : cases) {
            each.check(attacker);
        }
        AtomicInteger next = new AtomicInteger();
        attacker.attackAgain(
                2, number -> cases.get(next.getAndIncrement() % cases.size()).check(attacker));
    }

    private static void attackInSessions(Size size, Frame... frames) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attackAgain(frames.length, number -> {
                try (Session session = attacker.session()) {
                    session.send(frames[number]);
                    while (session.ending().isEmpty()) {
                        session.next();
                    }
                    attacker.did();
                }
            });
        });
    }

    private static Frame hello(byte[] body) {
        return Frame.of(Kind.HELLO, 0, 0, 0).with(body);
    }

    private static Frame greeting(TcpWire wire, Identity identity) {
        return hello(identity.hello(wire.dialled(), EPHEMERAL));
    }

    private static Frame proof(byte[] body) {
        return Frame.of(Kind.PROOF, 0, 0, 0).with(body);
    }

    private static byte[] flipped(byte[] bytes, int at) {
        bytes[at] ^= 1;
        return bytes;
    }

    /** What has to be said next to come in. */
    private static byte[] rightProof(TcpWire wire) throws IOException {
        return rightProof(wire, STRANGER, EPHEMERAL);
    }

    private static byte[] rightProof(TcpWire wire, Identity identity, Key ephemeral) throws IOException {
        return Session.greet(wire, identity, ephemeral, identity.hello(wire.dialled(), ephemeral))
                .proof();
    }

    private static void prove(TcpWire wire, Identity identity, Key ephemeral) throws IOException {
        wire.send(proof(rightProof(wire, identity, ephemeral)));
    }

    private static void proveTwice(TcpWire wire) throws IOException {
        Frame proof = proof(rightProof(wire));
        wire.send(proof);
        await(wire, Kind.CARD);
        wire.send(proof);
    }

    /** A PROOF that the node waits for. */
    private static void say(TcpWire wire, Identity identity, byte[] body) throws IOException {
        wire.send(greeting(wire, identity));
        await(wire, Kind.PROOF);
        wire.send(proof(body));
    }

    private static void replay(TcpWire wire, Frame[] recorded) throws IOException {
        wire.send(recorded[0]);
        await(wire, Kind.PROOF);
        wire.send(recorded[1]);
    }

    private static Frame await(TcpWire wire, int kind) throws IOException {
        Frame frame = wire.receive();
        while (frame.kind() != kind) {
            if (frame.kind() == Kind.REFUSE) {
                throw new Refusal(frame);
            }
            frame = wire.receive();
        }
        return frame;
    }

    /** A HELLO and a PROOF with which somebody has come in. */
    private static Frame[] record(Attacker attacker) throws IOException {
        try (TcpWire wire = attacker.wire(attacker.target().open())) {
            byte[] hello = STRANGER.hello(wire.dialled(), EPHEMERAL);
            Exchange exchange = Session.greet(wire, STRANGER, EPHEMERAL, hello);
            Frame proof = proof(exchange.proof());
            wire.send(proof);
            assertThat(exchange.takeSecond(wire.receive().body())).isTrue();
            return new Frame[] {hello(hello), proof};
        }
    }

    /** The node hears nothing but itself. */
    private static void sayBack(TcpWire wire) throws IOException {
        wire.send(greeting(wire, STRANGER));
        wire.send(await(wire, Kind.PROOF));
    }

    private static void greet(TcpWire wire, int at, int value) throws IOException {
        byte[] hello = STRANGER.hello(wire.dialled(), EPHEMERAL);
        hello[at] = (byte) value;
        wire.send(hello(hello));
    }

    private static void elsewhere(TcpWire wire) throws IOException {
        byte[] hello = KNOWING.hello("tcp://10.11.12.13:14", EPHEMERAL);
        wire.send(proof(Session.greet(wire, KNOWING, EPHEMERAL, hello).proof()));
    }
}
