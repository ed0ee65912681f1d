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
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How two nodes begin on every new connection: each says HELLO, and, where a secret is shared, proves that it knows it,
 * before anything else that the other one says is believed. One of these for each side of a connection. Loop thread
 * only.
 *
 * <pre>
 *   HELLO both, each with 32 fresh random bytes
 *   connecting side   PROOF  code(secret, C, transcript), and the same of the former secret if there is one
 *   accepting side    PROOF  code(the secret that was right, A, transcript)
 *
 *   code        HMAC-SHA-256
 *   transcript  HELLO of the connecting side, HELLO of the accepting side, what binds the connection: each with its
 *               length before it
 * </pre>
 *
 * <p>A proof holds for one connection only, as both sides have put random bytes into it, and for one role, so that it
 * can't be sent back. It also holds for the connection's {@link Protection#binding()}: between two encrypted
 * connections it can't be passed on.
 *
 * <p>And it holds for what the connecting side has {@link Dialled}: who is connected to can't pass the proof on to
 * another node, and come in there as who has connected to him, because that node takes it only from one who has dialled
 * it.
 *
 * <p>The connecting side goes first, because a code allows guesses at the secret without asking anybody further: so
 * whoever just connects to a node gets none. Who can make a node connect to him gets one, which is why a secret should
 * be random and long.
 */
public final class Admission {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte CONNECTING = 'C';
    private static final byte ACCEPTING = 'A';
    /** Of no proof. */
    private static final byte NEITHER = 'N';

    private static final int CODE = 32;

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
    }

    private final SecuritySpec security;
    private final Requirement required;
    private final PeerId self;
    private final boolean connecting;
    private final boolean rejoining;
    private final Dialled dialled;
    private final Protection protection;
    private final Owner owner;
    private byte[] ours = {};
    private byte[] theirs = {};
    private @Nullable Hello hello;
    private boolean over;

    /**
     * Nothing happens before {@link #begin}.
     *
     * @param required what this connection must have
     * @param rejoining whether we say that the connection is for a session that there is already
     * @param dialled what we have connected to; {@link Dialled#NOTHING} on the accepting side
     * @param protection what its link has
     */
    public Admission(
            SecuritySpec security,
            Requirement required,
            PeerId self,
            boolean connecting,
            boolean rejoining,
            Dialled dialled,
            Protection protection,
            Owner owner) {
        this.security = security;
        this.required = required;
        this.self = self;
        this.connecting = connecting;
        this.rejoining = rejoining;
        this.dialled = dialled;
        this.protection = protection;
        this.owner = owner;
    }

    /** Says HELLO. */
    public void begin() {
        byte[] random = new byte[HandshakeCodec.NONCE];
        RANDOM.nextBytes(random);
        ByteBuf body = HandshakeCodec.hello(self, random, security.secret() != null, rejoining, dialled);
        ours = ByteBufUtil.getBytes(body);
        owner.say(FrameKind.HELLO, body);
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

    /** What only the two ends of this connection know, and anybody in between. When the other side is admitted. */
    public byte[] bond() {
        return Contact.digest(transcript(NEITHER));
    }

    /** What the other side has dialled, as it says. When it is admitted. */
    public Dialled dialled() {
        return Objects.requireNonNull(hello).dialled();
    }

    private void hello(ByteBuf body) {
        if (hello != null) {
            throw new ProtocolMismatch("a second HELLO");
        }
        theirs = ByteBufUtil.getBytes(body);
        Hello said = HandshakeCodec.readHello(body);
        hello = said;
        owner.greeted(said.id());
        checkConnection();
        if (security.secret() == null) {
            if (said.expectsProof()) {
                throw new AuthenticationFailed("it wants a shared secret to be proved, and there is none here:"
                        + " set weir.security.secret to the same on both sides");
            }
            admit(said, false);
        } else if (!said.expectsProof()) {
            throw new AuthenticationFailed("a shared secret has to be proved here, and there is none on the other side:"
                    + " set weir.security.secret to the same on both sides");
        } else if (!said.saysWhatWasDialled()) {
            throw new ProtocolMismatch(
                    "its HELLO does not say what was dialled, without which a proof of the secret could"
                            + " be passed on: its version of Weir is older; use the same one on both sides");
        } else if (connecting) {
            owner.say(FrameKind.PROOF, ourProofs());
        }
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

    private ByteBuf ourProofs() {
        byte[] transcript = transcript(CONNECTING);
        ByteBuf proofs = Unpooled.buffer(2 * CODE);
        for (Secret each : secrets()) {
            if (each != null) {
                proofs.writeBytes(each.proofOf(transcript));
            }
        }
        return proofs;
    }

    private void proof(ByteBuf body) {
        Hello said = hello;
        int length = body.readableBytes();
        if (said == null || security.secret() == null || over) {
            throw new ProtocolMismatch("PROOF has no place here");
        }
        if (length != CODE && (connecting || length != 2 * CODE)) {
            throw new ProtocolMismatch("a PROOF of " + length + " bytes");
        }
        Secret right = proved(ByteBufUtil.getBytes(body));
        if (right == null) {
            throw new AuthenticationFailed("the shared secret was not proved: set weir.security.secret to the same on"
                    + " both sides, and weir.security.former-secret while it is being changed");
        }
        if (!connecting) {
            checkDialled(said.dialled());
            owner.say(FrameKind.PROOF, Unpooled.wrappedBuffer(right.proofOf(transcript(ACCEPTING))));
        }
        admit(said, true);
    }

    /** Not before the proof: who has none learns nothing by it. */
    private void checkDialled(Dialled theirs) {
        if (!owner.isOurs(theirs)) {
            throw new AuthenticationFailed("it has proved the secret to whoever is at '" + theirs.address()
                    + "', and as far as " + self + " knows that is not " + self
                    + ": if others do reach it there, as through an address translation or by another name, name the"
                    + " address in weir.advertise of " + self);
        }
    }

    /** Which of our secrets one of these codes was made with. Takes as long whichever it is. */
    private @Nullable Secret proved(byte[] codes) {
        byte[] transcript = transcript(connecting ? ACCEPTING : CONNECTING);
        Secret right = null;
        for (Secret each : secrets()) {
            if (each == null) {
                continue;
            }
            byte[] expected = each.proofOf(transcript);
            for (int at = 0; at < codes.length; at += CODE) {
                boolean equal = MessageDigest.isEqual(expected, Arrays.copyOfRange(codes, at, at + CODE));
                right = equal && right == null ? each : right;
            }
        }
        return right;
    }

    private @Nullable Secret[] secrets() {
        return new @Nullable Secret[] {security.secret(), security.formerSecret()};
    }

    private byte[] transcript(byte role) {
        byte[] binding = protection.binding().getBytes(StandardCharsets.UTF_8);
        byte[] first = connecting ? ours : theirs;
        byte[] second = connecting ? theirs : ours;
        ByteBuf all = Unpooled.buffer(13 + first.length + second.length + binding.length);
        all.writeByte(role);
        for (byte[] each : new byte[][] {first, second, binding}) {
            all.writeIntLE(each.length).writeBytes(each);
        }
        return ByteBufUtil.getBytes(all);
    }

    private void admit(Hello said, boolean secret) {
        over = true;
        owner.admitted(
                said.id(),
                new Identity(secret, protection.principal(), said.id().name(), ""));
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
