package io.weir.path;

import com.code_intelligence.jazzer.junit.FuzzTest;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody stands between nodes that share a secret, and has none himself. He hears all that they say, says it again
 * to whom he likes, and changes it as he likes: nobody ever lets him in. Where he only passes on what was meant for the
 * other one, both come in. Without a secret, a HELLO that can be read is enough, and the first one counts.
 */
class AdmissionFuzzTest {

    private static final SecuritySpec SHARED = new SecuritySpec(Secret.of("the one that all share"), null, null);
    private static final SecuritySpec CHANGING =
            new SecuritySpec(Secret.of("the one that comes next"), Secret.of("the one that all share"), null);

    private static final Dialled ATTACKER = new Dialled("tcp://attacker:7400", "tcp://10.0.0.66:7400", "");
    private static final Dialled FAR = new Dialled("tcp://far:7400", "tcp://10.0.0.7:7400", "");

    /** Connecting: 0 and 1; accepting: 2 and 3. */
    private static final int SIDES = 4;

    private static final int MOST_STEPS = 64;

    /** Bits of the first byte. */
    private static final int OPEN = 1;

    private static final int HONEST = 2;
    private static final int CHANGES = 4;
    private static final int BOUND = 8;

    /** What a step does. */
    private static final int PASS_ON = 0;

    private static final int FLIP = 1;
    private static final int CUT = 2;
    private static final int APPEND = 3;
    private static final int OTHER_KIND = 4;
    private static final int HALVES = 5;
    private static final int FEATURES = 6;
    private static final int RAW = 7;

    /** Each step has four bytes: what is done, to whom, with which of the frames that were heard, and where in it. */
    static Stream<byte[]> seeds() {
        byte[] relay = {
            0, PASS_ON, 2, 0, 0, PASS_ON, 0, 2, 0, PASS_ON, 2, 4, 0, PASS_ON, 0, 5, 0, PASS_ON, 1, 2, 0, PASS_ON, 3, 6,
            0
        };
        byte[] honest = relay.clone();
        honest[0] = HONEST;
        byte[] changing = relay.clone();
        changing[0] = HONEST | CHANGES;
        byte[] bound = relay.clone();
        bound[0] = HONEST | BOUND;
        byte[] open = relay.clone();
        open[0] = OPEN;
        return Stream.of(
                relay,
                honest,
                changing,
                bound,
                open,
                // A proof is sent back, cut, joined with another one, and shown to who did not ask for it.
                new byte[] {0, PASS_ON, 0, 1, 0, PASS_ON, 0, 4, 0, PASS_ON, 1, 0, 0, PASS_ON, 0, 5, 0},
                new byte[] {0, PASS_ON, 0, 2, 0, CUT, 2, 0, 9, HALVES, 2, 4, 4, FLIP, 3, 1, 40, APPEND, 1, 3, 7},
                new byte[] {OPEN, FEATURES, 0, 2, 2, FEATURES, 1, 2, 9, FLIP, 2, 0, 4, OTHER_KIND, 3, 0, 19},
                new byte[] {CHANGES, PASS_ON, 0, 2, 0, HALVES, 2, 4, 5, RAW, 3, 0, 32, RAW, 2, 1, 64});
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void nobodyComesInWithoutTheSecret(byte[] input) {
        if (input.length > 0) {
            new Meeting(input).run();
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Said(int side, FrameKind kind, byte[] body) {}

    /** All sides, and what the one between them does. */
    private static final class Meeting {

        private final byte[] input;
        private final boolean open;
        private final boolean honest;
        private final List<Said> heard = new ArrayList<>();
        private final List<Side> sides = new ArrayList<>();

        Meeting(byte[] input) {
            this.input = input;
            int first = input[0];
            open = (first & OPEN) != 0;
            honest = (first & HONEST) != 0;
            SecuritySpec security = open ? SecuritySpec.NONE : SHARED;
            SecuritySpec ofFar = !open && (first & CHANGES) != 0 ? CHANGING : security;
            for (int i = 0; i < SIDES; i++) {
                boolean connecting = i < 2;
                // Who stands between two encrypted connections has another binding to each of the sides.
                Protection protection = (first & BOUND) == 0
                        ? Protection.NONE
                        : new Protection(true, null, honest ? "same" : "of " + i);
                sides.add(new Side(i, connecting ? security : ofFar, connecting, protection));
            }
            sides.forEach(side -> side.admission.begin());
        }

        void run() {
            int at = 1;
            if (honest) {
                // The first one of each is left alone, and only passed on; he does what he likes to the others.
                passOn(0, 2);
                for (; at + 4 <= input.length && at < 4 * MOST_STEPS; at += 4) {
                    step(at, 1 + 2 * (input[at + 1] & 1));
                }
                fail(sides.get(0).admitted == null || sides.get(2).admitted == null, "who was meant does not come in");
                fail(open == sides.get(2).proved(), "it is said wrongly what was proved");
            } else {
                for (; at + 4 <= input.length && at < 4 * MOST_STEPS; at += 4) {
                    step(at, input[at + 1] & 3);
                }
            }
            for (Side each : sides) {
                boolean mayBeIn = open || (honest && (each.index == 0 || each.index == 2));
                fail(!mayBeIn && each.admitted != null, "somebody came in who knows no secret");
                fail(open && each.proved(), "something was proved without a secret");
            }
        }

        private void passOn(int one, int other) {
            for (int i = 0; i < heard.size(); i++) {
                Said said = heard.get(i);
                if (said.side == one || said.side == other) {
                    sides.get(said.side == one ? other : one).hears(said.kind, said.body);
                }
            }
        }

        private void step(int at, int side) {
            Said said = heard.get((input[at + 2] & 0xff) % heard.size());
            int where = input[at + 3] & 0xff;
            byte[] body = said.body;
            FrameKind kind = said.kind;
            switch (input[at] & 7) {
                case FLIP -> {
                    body = body.clone();
                    if (body.length > 0) {
                        body[where % body.length] ^= (byte) (1 << (input[at] >> 3 & 7));
                    }
                }
                case CUT -> body = Arrays.copyOf(body, where % (body.length + 1));
                case APPEND -> body = Arrays.copyOf(body, body.length + where);
                case OTHER_KIND -> kind = FrameKind.values()[where % FrameKind.values().length];
                case HALVES -> {
                    byte[] more = heard.get(where % heard.size()).body;
                    int length = body.length;
                    body = Arrays.copyOf(body, length + more.length);
                    System.arraycopy(more, 0, body, length, more.length);
                }
                case FEATURES -> {
                    body = body.clone();
                    if (kind == FrameKind.HELLO && body.length > 8) {
                        body[8] = (byte) where;
                    }
                }
                case RAW -> {
                    kind = (where & 1) == 0 ? FrameKind.PROOF : FrameKind.HELLO;
                    body = Arrays.copyOfRange(input, at, Math.min(input.length, at + where));
                }
                default -> {
                    // It is passed on as it is.
                }
            }
            sides.get(side).hears(kind, body);
        }

        private final class Side implements Admission.Owner {

            final int index;
            final Admission admission;
            private final boolean connecting;
            private boolean refused;
            private boolean speaking;

            @Nullable
            Identity admitted;

            Side(int index, SecuritySpec security, boolean connecting, Protection protection) {
                this.index = index;
                this.connecting = connecting;
                PeerId id = new PeerId(new UUID(7, index), connecting ? "near" : "far", 1);
                Dialled dialled = connecting ? (honest && index == 0 ? FAR : ATTACKER) : Dialled.NOTHING;
                admission = new Admission(security, Requirement.NONE, id, connecting, false, dialled, protection, this);
            }

            boolean proved() {
                return admitted != null && admitted.knowsSecret();
            }

            void hears(FrameKind kind, byte[] bytes) {
                // As with the product: who has refused, or is admitted, is asked no more.
                if (refused || admitted != null) {
                    return;
                }
                ByteBuf body = Unpooled.wrappedBuffer(bytes);
                int said = heard.size();
                speaking = true;
                try {
                    admission.frame(new Frame().set(kind, 0, 0, 0).body(body));
                } catch (ProtocolMismatch | AuthenticationFailed | Refused | Overloaded e) {
                    refused = true;
                    fail(admitted != null, "refused behind being admitted");
                    checkText(e);
                    fail(heard.size() > said, "who refuses has told something before");
                } finally {
                    speaking = false;
                }
                fail(body.refCnt() != 1, "the body is not the admission's");
            }

            private void checkText(WeirException e) {
                String text = Objects.requireNonNull(e.getMessage());
                fail(text.chars().anyMatch(Character::isISOControl), "control characters in: " + text);
                fail(text.length() > 4096, "a text of " + text.length() + " characters");
            }

            @Override
            public void say(FrameKind kind, ByteBuf body) {
                fail(kind == FrameKind.PROOF && !speaking, "a proof that was not asked for");
                fail(kind == FrameKind.PROOF && open, "a proof without a secret");
                heard.add(new Said(index, kind, ByteBufUtil.getBytes(body)));
                body.release();
            }

            @Override
            public boolean isOurs(Dialled dialled) {
                fail(connecting, "who connects is asked what is his");
                return dialled.equals(FAR);
            }

            @Override
            public void admitted(PeerId peer, Identity identity) {
                fail(admitted != null, "admitted twice");
                fail(peer.name().chars().anyMatch(Character::isISOControl), "control characters in a name");
                admitted = identity;
            }
        }
    }

    private static void fail(boolean wrong, String what) {
        if (wrong) {
            throw new AssertionError(what);
        }
    }
}
