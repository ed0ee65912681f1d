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
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.Protection;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.peer.Identity;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

        final NodeKey key;

        @Nullable
        Identity admitted;

        @Nullable
        PeerId with;

        /** Of looking at what was dialled. */
        @Nullable
        Error failure;

        /** What the other side may have dialled. */
        Dialled ours = DIALLED;

        Side(SecuritySpec security, boolean connecting) {
            this(security, connecting, Requirement.NONE, Protection.NONE);
        }

        Side(SecuritySpec security, boolean connecting, Requirement required, Protection protection) {
            this(security, connecting, required, protection, null);
        }

        Side(
                SecuritySpec security,
                boolean connecting,
                Requirement required,
                Protection protection,
                @Nullable UUID claimed) {
            this(security, connecting, required, protection, claimed, null);
        }

        /** @param elsewhere where it computes; null for here and at once */
        Side(
                SecuritySpec security,
                boolean connecting,
                Requirement required,
                Protection protection,
                @Nullable UUID claimed,
                @Nullable Executor elsewhere) {
            key = NodeKey.generate();
            PeerId id = new PeerId(claimed == null ? key.id() : claimed, connecting ? "near" : "far", 1);
            admission = new Admission(
                    security,
                    required,
                    id,
                    key,
                    connecting,
                    false,
                    connecting ? DIALLED : Dialled.NOTHING,
                    protection,
                    elsewhere == null ? Runnable::run : elsewhere,
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
            if (failure != null) {
                throw failure;
            }
            return dialled.equals(ours);
        }

        @Override
        public void admitted(PeerId peer, Identity identity) {
            assertThat(admitted).isNull();
            admitted = identity;
            with = peer;
        }

        @Override
        public void later(Runnable task) {
            task.run();
        }

        @Override
        public void giveUp(WeirException reason) {
            throw reason;
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

    /** Of the accepting side, which says it when it has heard one. */
    private static Said helloOf(SecuritySpec security) {
        Side far = new Side(security, false);
        far.hears(new Side(security, true).next());
        return far.next();
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
    void withoutASecretEachProvesItsId() {
        Side near = new Side(SecuritySpec.NONE, true);
        Side far = new Side(SecuritySpec.NONE, false);
        assertThat(meet(near, far)).isNull();
        assertThat(near.admitted).isEqualTo(new Identity(false, null, "far", ""));
        assertThat(near.with).isEqualTo(new PeerId(far.key.id(), "far", 1));
        assertThat(far.admitted).isEqualTo(new Identity(false, null, "near", ""));
        assertThat(far.with).isEqualTo(new PeerId(near.key.id(), "near", 1));
        assertThat(far.admitted.proved()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void anotherIdIsNotTaken(boolean connecting, boolean secret) {
        SecuritySpec security = secret ? SHARED : SecuritySpec.NONE;
        UUID anothers = NodeKey.generate().id();
        Side impostor = new Side(security, connecting, Requirement.NONE, Protection.NONE, anothers);
        Side honest = new Side(security, !connecting);
        Side near = connecting ? impostor : honest;
        Side far = connecting ? honest : impostor;
        assertThat(meet(near, far))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("another key than the one of the id that it says it has");
        assertThat(honest.admitted).isNull();
        assertThat(impostor.admitted).isNull();
    }

    /** The accepting side says so, sealed, as the connecting side can't know. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothKnowWhetherWhatWasDialledLeadsToTheAcceptingSide(boolean leads) {
        Side near = new Side(SecuritySpec.NONE, true);
        Side far = new Side(SecuritySpec.NONE, false);
        far.ours = leads ? DIALLED : Dialled.NOTHING;
        assertThat(meet(near, far)).isNull();
        assertThat(near.admission.isDirect()).isEqualTo(leads);
        assertThat(far.admission.isDirect()).isEqualTo(leads);
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
        SecuritySpec here = connectingHasIt ? SHARED : SecuritySpec.NONE;
        SecuritySpec there = connectingHasIt ? SecuritySpec.NONE : SHARED;
        Side near = new Side(here, true);
        Side far = new Side(there, false);
        Said fromNear = near.next();
        Said fromFar = helloOf(there);
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
    void theAcceptingSideSaysTheSameWhateverItsSecretUntilItHasSeenAProof() {
        Side near = new Side(OTHER, true);
        Side far = new Side(SHARED, false);
        far.hears(near.next());
        near.hears(far.next());
        // That it can be opened by one who has another secret shows that none was needed.
        Said proof = far.next();
        assertThat(proof.kind).isEqualTo(FrameKind.PROOF);
        assertThat(proof.body).hasSize(64);
        near.hears(proof);
        assertThat(near.next().body).hasSize(64);
        assertThat(far.said).isEmpty();
    }

    @Test
    void nothingCanBeSentBack() {
        Side near = new Side(SHARED, true);
        Said hello = near.next();
        near.hears(hello);
        Side far = new Side(SHARED, false);
        far.hears(hello);
        Said its = far.next();
        assertThatThrownBy(() -> far.hears(its)).isInstanceOf(ProtocolMismatch.class);
        Said proof = far.next();
        assertThatThrownBy(() -> far.hears(proof)).isInstanceOf(AuthenticationFailed.class);
        assertThatThrownBy(() -> near.hears(proof)).isInstanceOf(AuthenticationFailed.class);
        assertThat(near.admitted).isNull();
        assertThat(far.admitted).isNull();
    }

    @Test
    void aRecordedProofIsWorthNothing() {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        Said hello = near.next();
        far.hears(hello);
        Said there = far.next();
        near.hears(there);
        Said first = far.next();
        near.hears(first);
        Said proof = near.next();

        Side again = new Side(SHARED, false);
        again.hears(hello);
        assertThatThrownBy(() -> again.hears(proof)).isInstanceOf(AuthenticationFailed.class);
        assertThat(again.admitted).isNull();
        Side anew = new Side(SHARED, true);
        anew.hears(there);
        assertThatThrownBy(() -> anew.hears(first)).isInstanceOf(AuthenticationFailed.class);
        assertThat(anew.said).hasSize(1);
    }

    /** Each byte of each PROOF: nobody is admitted by what was changed. */
    @ParameterizedTest
    @CsvSource({"0, 64", "1, 64", "2, 17"})
    void nothingInTheProofsCanBeChangedOnTheWay(int which, int length) {
        for (int at = 0; at < length; at++) {
            Side near = new Side(SHARED, true);
            Side far = new Side(SHARED, false);
            far.hears(near.next());
            near.hears(far.next());
            Side[] senders = {far, near, far};
            for (int i = 0; i < which; i++) {
                senders[i + 1].hears(senders[i].next());
            }
            Side receiver = which == 1 ? far : near;
            Said proof = senders[which].next();
            assertThat(proof.body).hasSize(length);
            proof.body[at] ^= 1;
            assertThatThrownBy(() -> receiver.hears(proof)).as("byte " + at).isInstanceOf(AuthenticationFailed.class);
            assertThat(receiver.admitted).isNull();
        }
    }

    /** With such a key everybody would know the outcome. */
    @ParameterizedTest
    @CsvSource({"true, 0", "true, 1", "false, 0", "false, 1"})
    void aKeyWithWhichNothingIsSecretIsABreach(boolean connecting, int first) {
        byte[] hello = (connecting ? helloOf(SecuritySpec.NONE) : new Side(SecuritySpec.NONE, true).next()).body;
        // Behind the name: 42 bytes and the name itself.
        int at = 42 + (connecting ? "far" : "near").length();
        Arrays.fill(hello, at, at + Noise.KEY, (byte) 0);
        hello[at] = (byte) first;
        Side here = new Side(SecuritySpec.NONE, connecting);
        assertThatThrownBy(() -> {
                    here.hears(FrameKind.HELLO, hello);
                    here.hears(FrameKind.PROOF, new byte[64]);
                })
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("key");
        assertThat(here.admitted).isNull();
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
    @ValueSource(ints = {0, 1, 16, 17, 47, 48, 63, 65, 79, 81, 96, 4096})
    void aProofHasAProofsLength(int length) {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        far.hears(near.next());
        assertThatThrownBy(() -> far.hears(FrameKind.PROOF, new byte[length])).isInstanceOf(ProtocolMismatch.class);
        near.hears(far.next());
        assertThatThrownBy(() -> near.hears(FrameKind.PROOF, new byte[length])).isInstanceOf(ProtocolMismatch.class);
    }

    /** Who only connects must not have us make keys, nor be answered. */
    @Test
    void theAcceptingSideSaysNothingFirst() {
        assertThat(new Side(SHARED, false).said).isEmpty();
    }

    @Test
    void keysAreAgreedOnElsewhereAndNothingIsTakenMeanwhile() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false, Requirement.NONE, Protection.NONE, null, tasks::add);
        far.hears(near.next());
        assertThat(far.said).isEmpty();
        assertThatThrownBy(() -> far.hears(FrameKind.PROOF, new byte[64]))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("PROOF has no place here");
        tasks.remove().run();
        near.hears(far.next());
        near.hears(far.next());
        Said proof = near.next();
        far.hears(proof);
        assertThatThrownBy(() -> far.hears(proof)).isInstanceOf(ProtocolMismatch.class);
        assertThat(far.admitted).isNull();
        tasks.remove().run();
        assertThat(far.admitted).isNotNull();
        assertThat(tasks).isEmpty();
    }

    @Test
    void nothingIsComputedForOneThatHasGone() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        Side far = new Side(SHARED, false, Requirement.NONE, Protection.NONE, null, tasks::add);
        far.hears(new Side(SHARED, true).next());
        far.admission.end();
        tasks.remove().run();
        assertThat(far.said).isEmpty();
        assertThat(far.admitted).isNull();
    }

    /** What is met in a task of a loop might end it. */
    @Test
    void whatFailsInATaskOfTheLoopEndsThisConnectionOnly() {
        Side near = new Side(SHARED, true);
        Side far = new Side(SHARED, false);
        OutOfMemoryError full = new OutOfMemoryError("as if the heap was full");
        far.failure = full;
        far.hears(near.next());
        near.hears(far.next());
        near.hears(far.next());
        assertThatThrownBy(() -> far.hears(near.next()))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("try again")
                .hasCause(full);
        assertThat(far.admitted).isNull();
        assertThat(far.said).isEmpty();
    }

    @Test
    void whoCantBeComputedForIsRefused() {
        Side far = new Side(SHARED, false, Requirement.NONE, Protection.NONE, null, task -> {
            throw new RejectedExecutionException("full");
        });
        assertThatThrownBy(() -> far.hears(new Side(SHARED, true).next()))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("try again");
    }

    /** A second tag is only of one who has a former secret. */
    @Test
    void withoutASecretThereIsOneTag() {
        Side near = new Side(SecuritySpec.NONE, true);
        Side far = new Side(SecuritySpec.NONE, false);
        far.hears(near.next());
        assertThatThrownBy(() -> far.hears(FrameKind.PROOF, new byte[80]))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("a PROOF of 80 bytes");
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
        Side near = new Side(SecuritySpec.NONE, true);
        Side open = new Side(SecuritySpec.NONE, false);
        assertThat(meet(near, open)).isNull();
        for (Side each : new Side[] {near, open}) {
            for (int length : new int[] {17, 64}) {
                assertThatThrownBy(() -> each.hears(FrameKind.PROOF, new byte[length]))
                        .isInstanceOf(ProtocolMismatch.class)
                        .hasMessage("PROOF has no place here");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(bytes = {1, 3})
    void anotherVersionIsRefusedByItsHello(byte major) {
        byte[] hello = new Side(SecuritySpec.NONE, true).next().body;
        hello[4] = major;
        assertThatThrownBy(() -> new Side(SecuritySpec.NONE, false).hears(FrameKind.HELLO, hello))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("it speaks version " + major + ".0 of the protocol, this node 2.0;"
                        + " use the same major version of Weir on both sides");
    }

    @Test
    void aCertificateIsAProofAsWell() {
        Protection shown = new Protection(true, "CN=near", "aa");
        for (Requirement each : Requirement.values()) {
            Side near = new Side(SecuritySpec.NONE, true, Requirement.NONE, new Protection(true, null, "aa"));
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
        assertThatThrownBy(() -> plain.hears(helloOf(SHARED)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("weir.security.require=encrypted")
                .hasMessageContaining("weir.tls=on");
        assertThat(plain.next().kind).isEqualTo(FrameKind.HELLO);
        assertThat(plain.said)
                .as("no proof over a connection that others can read")
                .isEmpty();
    }
}
