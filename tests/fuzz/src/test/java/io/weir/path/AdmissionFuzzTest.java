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
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody stands between nodes that may share a secret, and has none himself. He hears all that they say, says it
 * again to whom he likes, and changes it as he likes; and he has nodes of his own that say they are others. Nobody who
 * shares a secret lets anybody in so, and without one nobody is taken for another one than he is. Where he only passes
 * on what was meant for the other one, both come in; if he changes one frame of that, nobody comes in but those two.
 */
class AdmissionFuzzTest {

    private static final SecuritySpec SHARED = new SecuritySpec(Secret.of("the one that all share"), null, null);
    private static final SecuritySpec CHANGING =
            new SecuritySpec(Secret.of("the one that comes next"), Secret.of("the one that all share"), null);
    private static final SecuritySpec GUESSED = new SecuritySpec(Secret.of("the one that is guessed"), null, null);

    private static final Dialled ATTACKER = new Dialled("tcp://attacker:7400", "tcp://10.0.0.66:7400", "");
    private static final Dialled FAR = new Dialled("tcp://far:7400", "tcp://10.0.0.7:7400", "");

    /** Connecting: 0, 1 and 4; accepting: 2, 3 and 5. */
    private static final int SIDES = 6;

    private static final Set<Integer> CONNECTING = Set.of(0, 1, 4);

    /** From here on they are his own: the first says that it is 0, the second that it is 2. */
    private static final int LIARS = 4;

    private static final List<NodeKey> KEYS =
            Stream.generate(NodeKey::generate).limit(SIDES).toList();

    private static final int MOST_STEPS = 64;

    /** Bits of the first byte. */
    private static final int OPEN = 1;

    private static final int HONEST = 2;
    private static final int FAR_CHANGES = 4;
    private static final int BOUND = 8;
    private static final int NEAR_CHANGES = 16;

    /** Of the honest exchange one frame is changed: by the first step, which one as it says to whom. */
    private static final int DISTURBED = 32;

    /** The frames of an exchange: HELLO twice, PROOF three times. */
    private static final int FRAMES = 5;

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
            0, PASS_ON, 2, 0, 0, PASS_ON, 0, 2, 0, PASS_ON, 0, 6, 0, PASS_ON, 2, 7, 0, PASS_ON, 0, 8, 0, PASS_ON, 1, 2,
            0, PASS_ON, 3, 8, 0
        };
        // His nodes go as far as they can.
        byte[] lies = {
            OPEN, PASS_ON, 2, 4, 0, PASS_ON, 4, 2, 0, PASS_ON, 4, 6, 0, PASS_ON, 2, 7, 0, PASS_ON, 5, 1, 0, PASS_ON, 1,
            5, 0, PASS_ON, 1, 8, 0
        };
        Stream<byte[]> relays = IntStream.of(
                        0,
                        HONEST,
                        HONEST | FAR_CHANGES,
                        HONEST | NEAR_CHANGES,
                        HONEST | BOUND,
                        HONEST | OPEN,
                        OPEN,
                        OPEN | BOUND)
                .mapToObj(first -> with(first, relay));
        // Each of the frames is changed in each way.
        Stream<byte[]> disturbed = IntStream.range(0, FRAMES * 8).mapToObj(each -> new byte[] {
            (byte) (HONEST | DISTURBED | (each % 3 == 0 ? OPEN : each % 3 == 1 ? NEAR_CHANGES : 0)),
            (byte) (each / FRAMES),
            (byte) (each % FRAMES),
            1,
            (byte) (7 * each)
        });
        Stream<byte[]> others = Stream.of(
                lies,
                with(0, lies),
                // A proof is sent back, cut, joined with another one, and shown to who did not ask for it.
                new byte[] {0, PASS_ON, 2, 0, 0, PASS_ON, 3, 1, 0, PASS_ON, 0, 2, 0, PASS_ON, 0, 7, 0},
                new byte[] {0, PASS_ON, 0, 2, 0, CUT, 2, 0, 9, HALVES, 2, 6, 4, FLIP, 3, 1, 40, APPEND, 1, 3, 7},
                new byte[] {OPEN, PASS_ON, 2, 0, 0, PASS_ON, 0, 0, 0, PASS_ON, 2, 6, 0, PASS_ON, 3, 2, 0},
                new byte[] {OPEN, FEATURES, 0, 2, 2, FEATURES, 1, 2, 9, FLIP, 2, 0, 4, OTHER_KIND, 3, 0, 19},
                new byte[] {FAR_CHANGES, PASS_ON, 0, 2, 0, HALVES, 2, 4, 5, RAW, 3, 0, 32, RAW, 2, 1, 64});
        return Stream.of(relays, disturbed, others).flatMap(each -> each);
    }

    private static byte[] with(int first, byte[] steps) {
        byte[] input = steps.clone();
        input[0] = (byte) first;
        return input;
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void nobodyComesInAsAnotherOneOrWithoutTheSecret(byte[] input) {
        if (input.length > 0) {
            new Meeting(input).run();
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Said(int side, FrameKind kind, byte[] body) {

        boolean isSame(Said other) {
            return kind == other.kind && Arrays.equals(body, other.body);
        }
    }

    /** All sides, and what the one between them does. */
    private static final class Meeting {

        private final byte[] input;
        private final boolean open;
        private final boolean honest;
        private final boolean bound;
        private final List<Said> heard = new ArrayList<>();
        private final List<Side> sides = new ArrayList<>();
        private int at = 1;

        Meeting(byte[] input) {
            this.input = input;
            int first = input[0];
            open = (first & OPEN) != 0;
            honest = (first & HONEST) != 0;
            bound = (first & BOUND) != 0;
            for (int i = 0; i < SIDES; i++) {
                // Who stands between two encrypted connections has another binding to each of the sides.
                Protection protection =
                        bound ? new Protection(true, null, honest ? "same" : "of " + i) : Protection.NONE;
                sides.add(new Side(i, security(i), CONNECTING.contains(i), protection));
            }
            sides.forEach(side -> side.admission.begin());
        }

        private SecuritySpec security(int side) {
            if (open) {
                return SecuritySpec.NONE;
            }
            if (side >= LIARS) {
                return GUESSED;
            }
            boolean changing = (input[0] & (side < 2 ? NEAR_CHANGES : FAR_CHANGES)) != 0;
            return changing ? CHANGING : SHARED;
        }

        void run() {
            if (!honest) {
                steps(0, 1, 2, 3, 4, 5);
            } else {
                // The first one of each is only passed on; he does what he likes to the others.
                if ((input[0] & DISTURBED) != 0 && hasStep()) {
                    disturb();
                } else {
                    relay(-1);
                    checkHonest();
                }
                steps(1, 3, 4, 5);
            }
            sides.stream().limit(LIARS).forEach(this::check);
        }

        private void checkHonest() {
            Side near = sides.get(0);
            Side far = sides.get(2);
            fail(near.admitted == null || far.admitted == null, "who was meant does not come in");
            fail(open == far.proved() || open == near.proved(), "it is said wrongly what was proved");
            fail(!near.admission.isDirect() || !far.admission.isDirect(), "it is said wrongly what was dialled");
        }

        private void check(Side side) {
            boolean mayBeIn = (open && (honest || !bound)) || (honest && (side.index == 0 || side.index == 2));
            fail(!mayBeIn && side.admitted != null, "somebody came in who knows no secret");
            fail(open && side.proved(), "something was proved without a secret");
            boolean isWho = sides.stream()
                    .limit(LIARS)
                    .anyMatch(other -> other.connecting != side.connecting && other.id.equals(side.peer));
            fail(side.admitted != null && !isWho, "somebody came in as another one: " + side.peer);
            boolean meant = honest && (side.index == 0 || side.index == 2);
            fail(!meant && side.admission.isDirect(), "what was dialled is the attacker's");
        }

        private void disturb() {
            int frame = (input[at + 1] & 0xff) % FRAMES;
            Side near = sides.get(0);
            Side far = sides.get(2);
            boolean changed = relay(frame);
            at += 4;
            if (!changed) {
                checkHonest();
            }
            fail(near.peer != null && !near.peer.equals(far.id), "it is taken for another one: " + near.peer);
            fail(far.peer != null && !far.peer.equals(near.id), "it is taken for another one: " + far.peer);
        }

        /**
         * Passes on what the first ones say to each other; one of the frames is changed, as the next step says.
         *
         * @return whether that frame says anything else now
         */
        private boolean relay(int changed) {
            boolean isOther = false;
            int passed = 0;
            for (int i = 0; i < heard.size(); i++) {
                Said said = heard.get(i);
                if (said.side == 0 || said.side == 2) {
                    Side to = sides.get(said.side == 0 ? 2 : 0);
                    boolean isChanged = passed++ == changed;
                    Said now = isChanged ? changed(said) : said;
                    isOther |= !now.isSame(said);
                    to.hears(now.kind, now.body);
                    boolean wrongHello = isChanged && said.kind == FrameKind.HELLO && !now.isSame(said);
                    to.disturbed |= wrongHello;
                }
            }
            for (Side each : sides) {
                fail(each.disturbed && each.admitted != null, "a HELLO was changed, and nobody has seen it");
            }
            return isOther;
        }

        private boolean hasStep() {
            return at + 4 <= input.length && at < 4 * MOST_STEPS;
        }

        private void steps(int... to) {
            for (; hasStep(); at += 4) {
                Said said = changed(heard.get((input[at + 2] & 0xff) % heard.size()));
                sides.get(to[(input[at + 1] & 0xff) % to.length]).hears(said.kind, said.body);
            }
        }

        /** The frame as the present step changes it. */
        private Said changed(Said said) {
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
            return new Said(said.side, kind, body);
        }

        private final class Side implements Admission.Owner {

            final int index;
            final Admission admission;
            final PeerId id;
            private final boolean connecting;
            private boolean refused;
            private boolean speaking;
            private boolean disturbed;

            @Nullable
            Identity admitted;

            @Nullable
            PeerId peer;

            Side(int index, SecuritySpec security, boolean connecting, Protection protection) {
                this.index = index;
                this.connecting = connecting;
                boolean lies = index >= LIARS;
                NodeKey key = KEYS.get(index);
                NodeKey claimed = lies ? KEYS.get(connecting ? 0 : 2) : key;
                id = new PeerId(claimed.id(), lies ? "liar" : connecting ? "near" : "far", 1);
                Dialled dialled = connecting ? (honest && index == 0 ? FAR : ATTACKER) : Dialled.NOTHING;
                admission = new Admission(
                        security,
                        Requirement.NONE,
                        id,
                        key,
                        connecting,
                        false,
                        dialled,
                        protection,
                        Runnable::run,
                        this);
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
                heard.add(new Said(index, kind, ByteBufUtil.getBytes(body)));
                body.release();
            }

            @Override
            public boolean isOurs(Dialled dialled) {
                fail(connecting, "who connects is asked what is his");
                return dialled.equals(FAR);
            }

            @Override
            public void later(Runnable task) {
                task.run();
            }

            @Override
            public void giveUp(WeirException reason) {
                throw reason;
            }

            @Override
            public void admitted(PeerId who, Identity identity) {
                fail(admitted != null, "admitted twice");
                fail(who.name().chars().anyMatch(Character::isISOControl), "control characters in a name");
                admitted = identity;
                peer = who;
            }
        }
    }

    private static void fail(boolean wrong, String what) {
        if (wrong) {
            throw new AssertionError(what);
        }
    }
}
