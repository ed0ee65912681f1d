package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.config.SecuritySpec;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.Protection;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.SettingText;
import io.weir.core.WeirException;
import io.weir.path.HandshakeCodec.Hello;
import io.weir.peer.Identity;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How two nodes begin on every new connection: each says HELLO and proves that it has the key to which its id belongs,
 * and, where a secret is shared, that it knows it, before anything else that the other one says is believed. One of
 * these for each side of a connection. Loop thread only; agreements on keys, which take long for a loop, are made
 * {@linkplain io.weir.core.Bootstrap#elsewhere() elsewhere}.
 *
 * <pre>
 *   connecting side   HELLO  an ephemeral key
 *   accepting side    HELLO  an ephemeral key
 *                     PROOF  its key
 *   connecting side   PROOF  its key, and a tag by the secret, and one by the former secret if there is one
 *   accepting side    PROOF  whether it is meant, sealed by what both have agreed on
 * </pre>
 *
 * <p>That is a {@link Noise} exchange. It holds for one connection only, as each side has put a fresh key into it; for
 * both HELLOs, as they are its prologue; and for the connection's {@link Protection#binding()}, so between two
 * encrypted connections it can't be passed on.
 *
 * <p>And it holds for what the connecting side has {@link Dialled}: who is connected to can pass on every byte to
 * another node, but that node takes the proof of a secret only from one who has dialled it.
 *
 * <p>The connecting side proves the secret first, because a tag allows guesses at the secret without asking anybody
 * further: so whoever just connects to a node gets none. Who can make a node connect to him gets one, which is why a
 * secret should be random and long.
 */
public final class Admission {

    /** Where no secret is shared, this is what both know. */
    private static final byte[] NO_SECRET = new byte[32];

    /** What a pre-shared key is made of. */
    private static final byte[] PURPOSE = "weir psk".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] NOTHING = {};

    /** Bytes of a public key that is sealed. */
    private static final int SEALED_KEY = Noise.KEY + Noise.TAG;

    /** What was dialled leads to the accepting side. */
    private static final byte DIRECT = 1;

    /** Whose connection it is. */
    public interface Owner {
        /** Sends this over the connection. Takes over the body. */
        void say(FrameKind kind, ByteBuf body);

        /**
         * The other side has said HELLO, and proved nothing.
         *
         * @throws Overloaded if it must not go on
         */
        default void greeted(PeerId claimed) {}

        /** Whether what the other side has dialled is an address of ours. Only asked by the accepting side. */
        default boolean isOurs(Dialled dialled) {
            return false;
        }

        /** The other side may come in, and so may we: both have proved what is to be proved. Called once. */
        void admitted(PeerId peer, Identity identity);

        /** Runs this on the loop, later. Any thread may call. */
        void later(Runnable task);

        /** The connection must not go on, for a reason that {@link #frame} may throw, and which is seen only now. */
        void giveUp(WeirException reason);
    }

    private final SecuritySpec security;
    private final Requirement required;
    private final PeerId self;
    private final NodeKey key;
    private final boolean connecting;
    private final boolean rejoining;
    private final Dialled dialled;
    private final Protection protection;
    private final Executor elsewhere;
    private final Owner owner;
    private @Nullable KeyPair ephemeral;
    private byte[] ours = NOTHING;
    private @Nullable Hello hello;

    /** Nobody needs what is computed any longer. */
    private volatile boolean over;

    /** The exchange while a PROOF may come; what is computed has it for itself. */
    private @Nullable Noise noise;
    /** The exchange as it is after our PROOF of the connecting side, by each secret that the other side may know. */
    private final List<Noise> proved = new ArrayList<>(1);

    private boolean direct;

    /**
     * Nothing happens before {@link #begin}.
     *
     * @param required what this connection must have
     * @param self its id is that of the key
     * @param rejoining whether we say that the connection is for a session that there is already
     * @param dialled what we have connected to; {@link Dialled#NOTHING} on the accepting side
     * @param protection what its link has
     * @param elsewhere where agreements on keys are made
     */
    public Admission(
            SecuritySpec security,
            Requirement required,
            PeerId self,
            NodeKey key,
            boolean connecting,
            boolean rejoining,
            Dialled dialled,
            Protection protection,
            Executor elsewhere,
            Owner owner) {
        this.security = security;
        this.required = required;
        this.self = self;
        this.key = key;
        this.connecting = connecting;
        this.rejoining = rejoining;
        this.dialled = dialled;
        this.protection = protection;
        this.elsewhere = elsewhere;
        this.owner = owner;
    }

    /** The connecting side says HELLO; the accepting side does when the other one has. */
    public void begin() {
        if (connecting) {
            KeyPair pair = NodeKey.generatePair();
            ephemeral = pair;
            ours = ourHello(pair);
            owner.say(FrameKind.HELLO, Unpooled.wrappedBuffer(ours));
        }
    }

    private byte[] ourHello(KeyPair pair) {
        return ByteBufUtil.getBytes(HandshakeCodec.hello(
                self, NodeKey.bytes(pair.getPublic()), security.secret() != null, rejoining, dialled));
    }

    /** The connection is over, or somebody else's: nothing more is computed or called. */
    public void end() {
        over = true;
        forget();
    }

    private void forget() {
        ephemeral = null;
        noise = null;
        proved.clear();
    }

    /**
     * Takes what the other side says until it is admitted; does not release the body.
     *
     * @throws ProtocolMismatch if it has no place here
     * @throws AuthenticationFailed if it has not proved what it has to
     * @throws Refused if the connection is not as it is required to be
     * @throws Overloaded if the owner has no room for it
     */
    public void frame(Frame in) {
        switch (in.kind()) {
            case HELLO -> hello(in.body());
            case PROOF -> proof(in.body());
            default -> throw new ProtocolMismatch(in.kind() + " came before " + (hello == null ? "HELLO" : "PROOF"));
        }
    }

    /** Who the other side says it is; null before its HELLO. */
    @Nullable
    public PeerId claimed() {
        return hello == null ? null : hello.id();
    }

    /** Whether the other side has said that the connection is for a session that there is already. */
    public boolean rejoins() {
        return hello != null && hello.rejoins();
    }

    /** Whether what the connecting side has dialled leads to the accepting side, as that one knows. When admitted. */
    public boolean isDirect() {
        return direct;
    }

    private void hello(ByteBuf body) {
        if (hello != null) {
            throw new ProtocolMismatch("a second HELLO");
        }
        byte[] theirs = ByteBufUtil.getBytes(body);
        Hello said = HandshakeCodec.readHello(body);
        hello = said;
        owner.greeted(said.id());
        checkConnection();
        if (security.secret() == null && said.hasSecret()) {
            throw new AuthenticationFailed("it wants a shared secret to be proved, and there is none here:"
                    + " set weir.security.secret to the same on both sides");
        }
        if (security.secret() != null && !said.hasSecret()) {
            throw new AuthenticationFailed("a shared secret has to be proved here, and there is none on the other side:"
                    + " set weir.security.secret to the same on both sides");
        }
        if (connecting) {
            noise = begun(Objects.requireNonNull(ephemeral), said, ours, theirs);
        } else {
            // Not before: who only connects must not have us make keys.
            compute(
                    () -> {
                        KeyPair pair = NodeKey.generatePair();
                        byte[] answer = ourHello(pair);
                        Noise begun = begun(pair, said, theirs, answer);
                        return new Greeting(answer, begun.second(NOTHING), begun);
                    },
                    greeting -> {
                        noise = greeting.noise;
                        owner.say(FrameKind.HELLO, Unpooled.wrappedBuffer(greeting.hello));
                        say(greeting.proof);
                    });
        }
    }

    /** What the accepting side says first. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    private record Greeting(byte[] hello, byte[] proof, Noise noise) {}

    private Noise begun(KeyPair pair, Hello said, byte[] helloOfConnecting, byte[] helloOfAccepting) {
        Noise begun = new Noise(connecting, key, pair, prologue(helloOfConnecting, helloOfAccepting));
        var unused = begun.first(said.key(), NOTHING);
        return begun;
    }

    /** Then goes on here with what came out, or fails with what was thrown. */
    private <T> void compute(Supplier<T> what, Consumer<T> then) {
        try {
            elsewhere.execute(() -> {
                if (!over) {
                    owner.later(computed(what, then));
                }
            });
        } catch (RejectedExecutionException e) {
            throw new Overloaded("more connections are being made at once than keys can be agreed on; try again", e);
        }
    }

    private <T> Runnable computed(Supplier<T> what, Consumer<T> then) {
        try {
            T outcome = what.get();
            return () -> goOn(() -> then.accept(outcome));
        } catch (WeirException e) {
            return () -> goOn(() -> owner.giveUp(e));
        } catch (Throwable e) {
            return () -> goOn(() -> owner.giveUp(broken(e)));
        }
    }

    private void goOn(Runnable next) {
        if (over) {
            return;
        }
        try {
            next.run();
        } catch (WeirException e) {
            owner.giveUp(e);
        } catch (RuntimeException | Error e) {
            // As where a link's frames are handled: it ends this connection, and not the loop whose task this is.
            owner.giveUp(broken(e));
        }
    }

    private static Overloaded broken(Throwable reason) {
        return new Overloaded("the exchange of keys could not be made here; try again", reason);
    }

    private void checkConnection() {
        if (required == Requirement.ENCRYPTED && !protection.encrypted()) {
            throw new Refused("weir.security.require=encrypted, and this connection is not: set weir.tls=on on both"
                    + " sides, or use a unix: address on one host");
        }
        if (required != Requirement.NONE && security.secret() == null && protection.principal() == null) {
            throw new AuthenticationFailed((security.require() == null
                            ? "connections beyond one host have to be authenticated"
                            : "weir.security.require=" + SettingText.word(required))
                    + ", and nothing was proved here: set weir.security.secret to the same on both sides, or"
                    + " weir.tls=on with certificates for both, or weir.security.require=none on both");
        }
    }

    private void proof(ByteBuf body) {
        Hello said = hello;
        byte[] proof = ByteBufUtil.getBytes(body);
        if (said != null && !proved.isEmpty()) {
            confirmed(said, proof);
            return;
        }
        Noise current = noise;
        if (said == null || current == null) {
            throw new ProtocolMismatch("PROOF has no place here");
        }
        noise = null;
        if (!connecting) {
            boolean two = proof.length == SEALED_KEY + 2 * Noise.TAG && security.secret() != null;
            checkLength(proof, two || proof.length == SEALED_KEY + Noise.TAG);
            compute(() -> agreed(said, current, proof), agreed -> accept(said, agreed));
        } else {
            checkLength(proof, proof.length == SEALED_KEY + Noise.TAG);
            compute(() -> answer(said, current, proof), answer -> {
                proved.addAll(answer.exchanges);
                say(answer.proof);
            });
        }
    }

    /** The PROOF of the connecting side, and the exchange as it goes on by each of its secrets. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    private record Answer(byte[] proof, List<Noise> exchanges) {}

    private Answer answer(Hello said, Noise current, byte[] proof) {
        var unused = current.readSecond(proof);
        checkKey(said, current);
        List<Noise> exchanges = new ArrayList<>(2);
        ByteBuf all = Unpooled.buffer(SEALED_KEY + 2 * Noise.TAG).writeBytes(current.third());
        for (byte[] secret : secrets()) {
            Noise each = current.copy();
            each.shared(secret);
            all.writeBytes(each.seal(NOTHING));
            exchanges.add(each);
        }
        return new Answer(ByteBufUtil.getBytes(all), exchanges);
    }

    /** The exchange by that secret of ours by which the other side has made one of its tags. */
    private Noise agreed(Hello said, Noise current, byte[] proof) {
        current.readThird(Arrays.copyOf(proof, SEALED_KEY));
        checkKey(said, current);
        for (byte[] secret : secrets()) {
            for (int at = SEALED_KEY; at < proof.length; at += Noise.TAG) {
                Noise each = current.copy();
                each.shared(secret);
                if (each.opens(Arrays.copyOfRange(proof, at, at + Noise.TAG)) != null) {
                    return each;
                }
            }
        }
        throw secretNotProved();
    }

    private void accept(Hello said, Noise agreed) {
        direct = owner.isOurs(said.dialled());
        if (security.secret() != null && !direct) {
            // Not before the proof: who has none learns nothing by it.
            throw new AuthenticationFailed("it has proved the secret to whoever is at '"
                    + said.dialled().address() + "', and as far as " + self + " knows that is not " + self
                    + ": if others do reach it there, as through an address translation or by another name, name the"
                    + " address in weir.advertise of " + self);
        }
        say(Noise.seal(agreed.split()[1], 0, new byte[] {direct ? DIRECT : 0}));
        admit(said);
    }

    private void confirmed(Hello said, byte[] proof) {
        checkLength(proof, proof.length == 1 + Noise.TAG);
        for (Noise each : proved) {
            byte[] opened = Noise.opens(each.split()[1], 0, proof);
            if (opened != null) {
                direct = (opened[0] & DIRECT) != 0;
                admit(said);
                return;
            }
        }
        throw secretNotProved();
    }

    private static void checkLength(byte[] proof, boolean right) {
        if (!right) {
            throw new ProtocolMismatch("a PROOF of " + proof.length + " bytes");
        }
    }

    private static void checkKey(Hello said, Noise current) {
        if (!NodeKey.idOf(current.staticThere()).equals(said.id().id())) {
            throw new AuthenticationFailed("it has another key than the one of the id that it says it has");
        }
    }

    private AuthenticationFailed secretNotProved() {
        return security.secret() == null
                ? Noise.notOpened()
                : new AuthenticationFailed("the shared secret was not proved: set weir.security.secret to the same on"
                        + " both sides, and weir.security.former-secret while it is being changed");
    }

    /** What is known beforehand, the present secret first. */
    private List<byte[]> secrets() {
        Secret present = security.secret();
        Secret former = security.formerSecret();
        if (present == null) {
            return List.of(NO_SECRET);
        }
        return former == null
                ? List.of(present.proofOf(PURPOSE))
                : List.of(present.proofOf(PURPOSE), former.proofOf(PURPOSE));
    }

    private byte[] prologue(byte[] helloOfConnecting, byte[] helloOfAccepting) {
        byte[] binding = protection.binding().getBytes(StandardCharsets.UTF_8);
        ByteBuf all = Unpooled.buffer(12 + helloOfConnecting.length + helloOfAccepting.length + binding.length);
        for (byte[] each : new byte[][] {helloOfConnecting, helloOfAccepting, binding}) {
            all.writeIntLE(each.length).writeBytes(each);
        }
        return ByteBufUtil.getBytes(all);
    }

    private void say(byte[] proof) {
        owner.say(FrameKind.PROOF, Unpooled.wrappedBuffer(proof));
    }

    private void admit(Hello said) {
        // A further PROOF has no place, and nobody needs the keys.
        forget();
        owner.admitted(
                said.id(),
                new Identity(
                        security.secret() != null,
                        protection.principal(),
                        said.id().name(),
                        ""));
    }

    /**
     * Sends a frame of a connection that is no session yet. What finds no room is dropped: a deadline ends a side that
     * does not read.
     */
    public static void send(Link link, Frame frame) {
        if (link.offer(frame)) {
            frame.clear();
        } else {
            frame.release();
        }
    }

    // REFUSE, as either side may say it at any time in this.

    /** The flags of the REFUSE that says this. */
    public static int flags(WeirException reason) {
        return reason instanceof AuthenticationFailed
                ? Flags.UNPROVED
                : reason instanceof Overloaded ? Flags.OVERLOADED : 0;
    }

    /** What the other side's REFUSE says, as an exception here. Reads the body without releasing it. */
    public static WeirException refusal(String name, Frame in) {
        String reason = HandshakeCodec.readReason(in.body());
        String text = name + ": " + reason;
        if (in.has(Flags.UNPROVED)) {
            return new AuthenticationFailed(text);
        }
        if (in.has(Flags.OVERLOADED)) {
            return new Overloaded(text);
        }
        return new Refused(text);
    }
}
