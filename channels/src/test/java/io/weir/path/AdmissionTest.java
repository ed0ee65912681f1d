package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.config.SecuritySpec;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PeerId;
import io.weir.core.Protection;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.peer.Identity;
import java.util.ArrayDeque;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionTest {

    private static final SecuritySpec SHARED = secret("the one that all share");
    private static final SecuritySpec OTHER = secret("another one entirely");

    private static final Dialled DIALLED = new Dialled("tcp://far:7400", "tcp://10.0.0.7:7400", "");

    @SuppressWarnings("ArrayRecordComponent")
    private record Said(FrameKind kind, byte[] body) {}

    /** One side of a connection, and what it has said that was not delivered yet. */
    private static final class Side implements Admission.Owner {

        final Admission admission;
        final ArrayDeque<Said> said = new ArrayDeque<>();

        @Nullable
        Identity admitted;

        /** What the other side may have dialled. */
        Dialled ours = DIALLED;

        Side(SecuritySpec security, boolean connecting) {
            this(security, connecting, Requirement.NONE, Protection.NONE);
        }

        Side(SecuritySpec security, boolean connecting, Requirement required, Protection protection) {
            PeerId id = new PeerId(UUID.randomUUID(), connecting ? "near" : "far", 1);
            admission = new Admission(
                    security,
                    required,
                    id,
                    connecting,
                    false,
                    connecting ? DIALLED : Dialled.NOTHING,
                    protection,
                    this);
            admission.begin();
        }

        @Override
        public void say(FrameKind kind, ByteBuf body) {
            said.add(new Said(kind, ByteBufUtil.getBytes(body)));
            body.release();
        }

        @Override
        public boolean isOurs(Dialled dialled) {
            return dialled.equals(ours);
        }

        @Override
        public void admitted(PeerId peer, Identity identity) {
            assertThat(admitted).isNull();
            admitted = identity;
        }

        void hears(Said frame) {
            hears(frame.kind, frame.body);
        }

        void hears(FrameKind kind, byte[] body) {
            admission.frame(new Frame().set(kind, 0, 0, 0).body(Unpooled.wrappedBuffer(body)));
        }

        Said next() {
            return said.remove();
        }

        @Nullable
        WeirException refusal(Side other) {
            try {
                while (!other.said.isEmpty()) {
                    hears(other.next());
                }
                return null;
            } catch (WeirException e) {
                return e;
            }
        }
    }

    private static SecuritySpec secret(String text) {
        return new SecuritySpec(Secret.of(text), null, null);
    }

    private static SecuritySpec changing(String text, String former) {
        return new SecuritySpec(Secret.of(text), Secret.of(former), null);
    }

    /** Delivers what both say until one refuses the other, or both have nothing to say. */
    private static @Nullable WeirException meet(Side near, Side far) {
        while (!near.said.isEmpty() || !far.said.isEmpty()) {
            WeirException there = far.refusal(near);
            WeirException here = near.refusal(far);
            if (there != null || here != null) {
                return there == null ? here : there;
            }
        }
        return null;
    }

    @Test
    void withoutASecretHelloIsEnough() {
        Side near = new Side(SecuritySpec.NONE, true);
        Side far = new Side(SecuritySpec.NONE, false);
        assertThat(meet(near, far)).isNull();
        assertThat(near.admitted).isEqualTo(new Identity(false, null, "far", ""));
        assertThat(far.admitted).isEqualTo(new Identity(false, null, "near", ""));
        assertThat(far.admitted.proved()).isFalse();
    }

    @Test
    void bothProveTheSecret() {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        assertThat(meet(near, far)).isNull();
        assertThat(near.admitted).isEqualTo(new Identity(true, null, "far", ""));
        assertThat(far.admitted).isEqualTo(new Identity(true, null, "near", ""));
    }

    @Test
    void anotherSecretIsRefusedAndGetsNoProof() {
        Side near = new Side(OTHER, true);
        Side far = new Side(SHARED, false);
        assertThat(meet(near, far))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("weir.security.secret")
                .hasMessageNotContainingAny("the one that all share", "another one entirely");
        assertThat(far.said).isEmpty();
        assertThat(near.admitted).isNull();
        assertThat(far.admitted).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothSidesTellWhichSettingIsMissingOnOneOfThem(boolean connectingHasIt) {
        Side near = new Side(connectingHasIt ? SHARED : SecuritySpec.NONE, true);
        Side far = new Side(connectingHasIt ? SecuritySpec.NONE : SHARED, false);
        Said fromNear = near.next();
        Said fromFar = far.next();
        assertThatThrownBy(() -> near.hears(fromFar))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("weir.security.secret");
        assertThatThrownBy(() -> far.hears(fromNear))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("weir.security.secret");
        assertThat(near.said).isEmpty();
        assertThat(far.said).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "new-secret-of-all|old-secret-of-all, old-secret-of-all",
        "old-secret-of-all, new-secret-of-all|old-secret-of-all",
        "new-secret-of-all|old-secret-of-all, new-secret-of-all|old-secret-of-all",
        "new-secret-of-all|old-secret-of-all, new-secret-of-all",
        "new-secret-of-all, new-secret-of-all|old-secret-of-all",
    })
    void aSecretIsChangedNodeByNode(String near, String far) {
        Side first = new Side(read(near), true);
        Side second = new Side(read(far), false);
        assertThat(meet(first, second)).isNull();
        assertThat(first.admitted).isNotNull();
        assertThat(second.admitted).isNotNull();
    }

    private static SecuritySpec read(String text) {
        String[] both = text.split("\\|");
        return both.length == 1 ? secret(both[0]) : changing(both[0], both[1]);
    }

    /** Who connects to a node must not get anything on which to try guesses. */
    @Test
    void theAcceptingSideProvesNothingBeforeItHasSeenAProof() {
        Side near = new Side(OTHER, true);
        Side far = new Side(SHARED, false);
        far.hears(near.next());
        assertThat(far.next().kind).isEqualTo(FrameKind.HELLO);
        assertThat(far.said).isEmpty();
    }

    @Test
    void aProofCantBeSentBack() {
        Side near = new Side(SHARED, true);
        Said hello = near.next();
        near.hears(hello);
        Said proof = near.next();
        assertThatThrownBy(() -> near.hears(proof)).isInstanceOf(AuthenticationFailed.class);
        assertThat(near.admitted).isNull();
    }

    @Test
    void aRecordedProofIsWorthNothing() {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        Said hello = near.next();
        far.hears(hello);
        near.hears(far.next());
        Said proof = near.next();

        Side again = new Side(SHARED, false);
        again.hears(hello);
        assertThatThrownBy(() -> again.hears(proof)).isInstanceOf(AuthenticationFailed.class);
        assertThat(again.admitted).isNull();
    }

    /** Somebody in the middle who ends the encryption on both sides: each connection has a certificate of its own. */
    @Test
    void aProofHoldsForItsConnection() {
        Side near = new Side(SHARED, true, Requirement.NONE, new Protection(true, null, "aa"));
        Side far = new Side(SHARED, false, Requirement.NONE, new Protection(true, null, "bb"));
        assertThat(meet(near, far)).isInstanceOf(AuthenticationFailed.class);
        assertThat(near.admitted).isNull();
        assertThat(far.admitted).isNull();
    }

    /** Somebody whom the one has dialled, and who passes on to the other what it says, to come in there as that one. */
    @Test
    void aProofHoldsForWhomItsMakerHasDialled() {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        far.ours = new Dialled("tcp://other:7400", "tcp://10.0.0.8:7400", "");
        assertThat(meet(near, far))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("'tcp://far:7400'")
                .hasMessageContaining("weir.advertise");
        assertThat(far.said).as("a proof for whoever is in between").isEmpty();
        assertThat(near.admitted).isNull();
        assertThat(far.admitted).isNull();
    }

    /** Whichever side it is of: a proof that it gets, or asks for, would hold for everybody. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHelloThatDoesNotSayWhatWasDialled(boolean connecting) {
        byte[] hello = new Side(SHARED, !connecting).next().body;
        hello[8] &= ~8;
        Side here = new Side(SHARED, connecting);
        assertThatThrownBy(() -> here.hears(FrameKind.HELLO, hello))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("does not say what was dialled")
                .hasMessageContaining("use the same one on both sides");
        assertThat(here.next().kind).isEqualTo(FrameKind.HELLO);
        assertThat(here.said).isEmpty();
    }

    @Test
    void nothingInTheHellosCanBeChangedOnTheWay() {
        int length = new Side(SHARED, true).next().body.length;
        for (int at = 0; at < length; at++) {
            Side near = new Side(SHARED, true);
            Side far = new Side(SHARED, false);
            Said hello = near.next();
            byte[] changed = hello.body.clone();
            changed[at] ^= 1;
            near.said.addFirst(new Said(hello.kind, changed));
            assertThat(meet(near, far)).as("byte " + at).isNotNull();
            assertThat(near.admitted).isNull();
            assertThat(far.admitted).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 33, 63, 65, 96, 4096})
    void aProofHasAProofsLength(int length) {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        far.hears(near.next());
        assertThatThrownBy(() -> far.hears(FrameKind.PROOF, new byte[length])).isInstanceOf(ProtocolMismatch.class);
        near.hears(far.next());
        assertThatThrownBy(() -> near.hears(FrameKind.PROOF, new byte[length])).isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void whatHasNoPlace() {
        assertThatThrownBy(() -> new Side(SHARED, false).hears(FrameKind.PROOF, new byte[32]))
                .isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> new Side(SHARED, false).hears(FrameKind.CARD, new byte[32]))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("CARD came before HELLO");
        Side far = new Side(SHARED, false);
        far.hears(new Side(SHARED, true).next());
        assertThatThrownBy(() -> far.hears(FrameKind.CARD, new byte[32]))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("CARD came before PROOF");
        assertThatThrownBy(() -> far.hears(new Side(SHARED, true).next()))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("a second HELLO");
        Side open = new Side(SecuritySpec.NONE, false);
        open.hears(new Side(SecuritySpec.NONE, true).next());
        assertThatThrownBy(() -> open.hears(FrameKind.PROOF, new byte[32])).isInstanceOf(ProtocolMismatch.class);
    }

    /** A node that knows nothing of secrets: its HELLO ends with its name. */
    @Test
    void anOlderNodeIsTalkedToWhereNothingIsToBeProved() {
        byte[] hello = ByteBufUtil.getBytes(HandshakeCodec.hello(
                new PeerId(UUID.randomUUID(), "old", 1), new byte[0], false, false, Dialled.NOTHING));
        hello[8] = 0;
        Side open = new Side(SecuritySpec.NONE, false);
        open.hears(FrameKind.HELLO, hello);
        assertThat(open.admitted).isNotNull();
        assertThatThrownBy(() -> new Side(SHARED, false).hears(FrameKind.HELLO, hello))
                .isInstanceOf(AuthenticationFailed.class);
        hello[8] = 2;
        assertThatThrownBy(() -> new Side(SHARED, false).hears(FrameKind.HELLO, hello))
                .isInstanceOf(AuthenticationFailed.class);
        hello[8] = 1;
        assertThatThrownBy(() -> new Side(SHARED, false).hears(FrameKind.HELLO, hello))
                .isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void aCertificateIsAProofAsWell() {
        Protection shown = new Protection(true, "CN=near", "aa");
        for (Requirement each : Requirement.values()) {
            Side near = new Side(SecuritySpec.NONE, true);
            Side far = new Side(SecuritySpec.NONE, false, each, shown);
            assertThat(meet(near, far)).isNull();
            assertThat(far.admitted).isEqualTo(new Identity(false, "CN=near", "near", ""));
        }
    }

    @Test
    void whatIsRequiredAndNotThere() {
        Said hello = new Side(SecuritySpec.NONE, true).next();
        assertThatThrownBy(() ->
                        new Side(SecuritySpec.NONE, false, Requirement.AUTHENTICATED, Protection.NONE).hears(hello))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("connections beyond one host")
                .hasMessageContaining("weir.security.require=none");
        SecuritySpec said = new SecuritySpec(null, null, Requirement.AUTHENTICATED);
        assertThatThrownBy(() ->
                        new Side(said, false, Requirement.AUTHENTICATED, new Protection(true, null, "")).hears(hello))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("weir.security.require=authenticated");

        Side plain = new Side(SHARED, true, Requirement.ENCRYPTED, Protection.NONE);
        assertThatThrownBy(() -> plain.hears(new Side(SHARED, false).next()))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("weir.security.require=encrypted")
                .hasMessageContaining("weir.tls=on");
        assertThat(plain.next().kind).isEqualTo(FrameKind.HELLO);
        assertThat(plain.said)
                .as("no proof over a connection that others can read")
                .isEmpty();
    }
}
