package io.weir.path;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.core.FrameKind;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says about links, in whichever order and with whichever numbers, while links come and go here: it is
 * a breach, or it is done, and each frame of the session goes over some link once more or not, in order and without a
 * gap. No link is used that is not open, and none is asked twice for what it has not delivered.
 */
class MovesFuzzTest {

    private static final int MOST_STEPS = 200;

    /** What a step does. */
    private static final int OPENS = 0;

    private static final int MOVE = 1;
    private static final int MOVED = 2;
    private static final int RESUME = 3;
    private static final int LOST = 4;
    private static final int LOSES = 5;
    private static final int GIVEN_UP = 6;
    private static final int AWAY = 7;
    private static final int SENDS = 8;
    private static final int HEARS = 9;
    private static final int ROOM = 10;
    private static final int STEPS = 11;

    /** The first byte says over what it begins; each step has three bytes: what is done, and two arguments. */
    static Stream<byte[]> seeds() {
        return Stream.of(
                // It moves, both ways, and back to the bootstrap connection.
                new byte[] {
                    0, SENDS, 3, 0, OPENS, 0, 0, MOVED, 2, 0, HEARS, 2, 0, MOVE, 2, 0, OPENS, 1, 0, MOVED, 3, 0, MOVE,
                    3, 0
                },
                // A link is lost with frames under way, and they go again over the next one.
                new byte[] {0, SENDS, 5, 0, LOSES, 1, 0, LOST, 1, 0, OPENS, 0, 0, RESUME, 2, 3, SENDS, 2, 0, HEARS, 1, 0
                },
                // The same while it moves, and with little room.
                new byte[] {
                    0, SENDS, 5, 0, OPENS, 0, 0, LOSES, 1, 0, LOST, 1, 2, ROOM, 1, 0, RESUME, 2, 2, OPENS, 0, 0, ROOM,
                    9, 0, MOVED, 3, 0
                },
                // The bootstrap connection goes and comes.
                new byte[] {
                    1, SENDS, 5, 0, AWAY, 0, 0, AWAY, 0, 0, OPENS, 1, 0, RESUME, 2, 4, GIVEN_UP, 0, 0, SENDS, 1, 0
                },
                new byte[] {0, SENDS, 5, 0, AWAY, 0, 0, SENDS, 1, 0, AWAY, 1, 0, LOSES, 1, 0, AWAY, 0, 0, RESUME, 1, 1},
                // The peer had given up what was agreed on.
                new byte[] {0, OPENS, 1, 0, GIVEN_UP, 0, 0, OPENS, 1, 0, MOVE, 3, 0, LOSES, 1, 0, GIVEN_UP, 0, 0},
                // Numbers that can't be.
                new byte[] {0, SENDS, 2, 0, LOSES, 1, 0, OPENS, 0, 0, RESUME, 2, 100},
                new byte[] {0, MOVE, 9, 101});
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatThePeerSaysAboutLinksLosesNothing(byte[] input) {
        if (input.length > 0) {
            new Side((input[0] & 1) != 0).run(input);
        }
    }

    private static void fail(boolean wrong, String what) {
        if (wrong) {
            throw new AssertionError(what);
        }
    }

    /** One side, whose links keep all that is offered to them. */
    private static final class Side implements Moves.Effects {

        private final Moves moves;
        private final Set<Integer> open = new HashSet<>();
        private final Set<Integer> takenBack = new HashSet<>();
        private final Map<Integer, List<Long>> offered = new HashMap<>();
        private final ArrayDeque<Long> kept = new ArrayDeque<>();
        private final ArrayDeque<Long> again = new ArrayDeque<>();
        private int attempts = 1;
        private int current;
        private int room = Integer.MAX_VALUE;
        private long made;
        private long framesSent;
        private long sentAgain;
        private long received;
        private boolean away;
        private boolean over;
        private boolean settling;

        Side(boolean overBootstrap) {
            if (!overBootstrap) {
                open.add(1);
                current = 1;
            }
            moves = new Moves(1, overBootstrap, this);
        }

        void run(byte[] input) {
            for (int at = 1; at + 3 <= input.length && at < 3 * MOST_STEPS && !over; at += 3) {
                try {
                    step((input[at] & 0xff) % STEPS, input[at + 1] & 0xff, input[at + 2] & 0xff);
                } catch (ProtocolMismatch breach) {
                    return;
                }
                check();
            }
        }

        private void step(int what, int a, int b) {
            switch (what) {
                case OPENS -> opens((a & 1) != 0);
                case MOVE -> moves.move(attempt(a), received(b));
                case MOVED -> moves.moved(attempt(a));
                case RESUME -> moves.resume(attempt(a), number(b, made));
                case LOST ->
                    moves.lostThere(attempt(a), number(b & 0x7f, 0), (b & 0x80) != 0, new SessionLost("it says so"));
                case LOSES -> moves.lost(attempt(a), new SessionLost("it breaks"), (b & 1) != 0);
                case GIVEN_UP -> moves.givenUpThere();
                case AWAY -> awayOrBack((a & 1) != 0);
                case SENDS -> {
                    for (int i = 0; i < (a & 7) && moves.isClear() && room > 0; i++) {
                        offer(++made);
                    }
                }
                case HEARS -> received += a & 7;
                default -> {
                    room = a > 100 ? Integer.MAX_VALUE : a;
                    changed();
                }
            }
        }

        /** The number of an attempt, mostly of one that there was. */
        private int attempt(int a) {
            return a >= 250 ? Integer.MIN_VALUE + (a - 250) : a % (attempts + 2);
        }

        private long received(int b) {
            return b < 100 ? received : number(b, received);
        }

        private static long number(int b, long about) {
            return switch (b) {
                case 127 -> Long.MIN_VALUE;
                case 126 -> Long.MAX_VALUE;
                case 125 -> 1L << 32;
                case 124 -> (1L << 32) - 1;
                case 123 -> -1;
                default -> b < 100 ? b : about + b - 110;
            };
        }

        private void opens(boolean overBootstrap) {
            // Without a bootstrap connection, nothing is agreed.
            if (away) {
                return;
            }
            int number = ++attempts;
            if (!overBootstrap) {
                open.add(number);
            }
            moves.opened(number, overBootstrap);
            changed();
        }

        private void awayOrBack(boolean goesOn) {
            if (away) {
                boolean still = goesOn && moves.settledNumber() != 0;
                offered.remove(Moves.BOOTSTRAP);
                takenBack.remove(Moves.BOOTSTRAP);
                over |= !moves.comesBack(still);
                away = false;
            } else {
                goesAway();
            }
            changed();
        }

        private void goesAway() {
            away = true;
            over |= !moves.goesAway();
        }

        private void offer(long frame) {
            framesSent++;
            room--;
            List<Long> before = offered.computeIfAbsent(current, link -> new ArrayList<>());
            fail(!before.isEmpty() && before.get(before.size() - 1) + 1 != frame, "a gap before frame " + frame);
            fail(current != Moves.BOOTSTRAP && !open.contains(current), "frame " + frame + " over a link that is gone");
            fail(current == Moves.BOOTSTRAP && away, "frame " + frame + " over no bootstrap connection");
            before.add(frame);
        }

        private void check() {
            if (over) {
                return;
            }
            fail(again.isEmpty() && kept.isEmpty() && sent() != made, "counts " + sent() + " frames of " + made);
            fail(!moves.others().stream().allMatch(open::contains), "takes a link for open that is not");
            fail(moves.isClear() && !moves.isOpen(moves.ours()), "is clear to send over nothing");
            fail(moves.isClear() && moves.ours() != current, "sends over " + current + ": " + moves);
            fail(open.size() > attempts, "more links than there were attempts");
        }

        @Override
        public long sent() {
            return framesSent - sentAgain;
        }

        @Override
        public long received() {
            return received;
        }

        @Override
        public void say(int link, FrameKind kind, int number, long count) {
            fail(link != Moves.BOOTSTRAP && !open.contains(link), kind + " over link " + link + ", which is not open");
            fail(kind == FrameKind.MOVE && count != made, "MOVE behind " + count + " frames of " + made);
        }

        @Override
        public void sayLost(int number, int goesOver, boolean answers, String reason) {
            fail(goesOver > 0 && !open.contains(goesOver), "LOST, and goes over link " + goesOver);
        }

        @Override
        public void hold() {
            // Nothing is sent unless it is clear.
        }

        @Override
        public void sendOver(int link) {
            fail(link != Moves.BOOTSTRAP && !open.contains(link), "goes over link " + link + ", which is not open");
            current = link;
        }

        @Override
        public boolean takeBack(int link, boolean counts) {
            fail(!takenBack.add(link), "takes back twice what is under way over link " + link);
            if (counts) {
                kept.addAll(offered.getOrDefault(link, List.of()));
            }
            sentAgain -= again.size();
            kept.addAll(again);
            again.clear();
            long before = -1;
            for (long each : kept) {
                fail(before >= 0 && each != before + 1, "keeps " + kept);
                before = each;
            }
            fail(!kept.isEmpty() && before != made, "keeps " + kept + " of " + made);
            return true;
        }

        @Override
        public int kept() {
            return kept.size();
        }

        @Override
        public void sendAgain(long missing) {
            fail(missing < 0 || missing > kept.size(), "sends " + missing + " again of " + kept);
            while (kept.size() > missing) {
                kept.remove();
            }
            sentAgain += missing;
            again.addAll(kept);
            kept.clear();
        }

        @Override
        public void dropKept() {
            kept.clear();
        }

        @Override
        public boolean owes() {
            return !again.isEmpty();
        }

        @Override
        public void replay() {
            while (!again.isEmpty() && room > 0) {
                offer(again.remove());
            }
        }

        @Override
        public boolean hasDue(int link) {
            return false;
        }

        @Override
        public void drop(int link, boolean isOpen) {
            fail(!open.remove(link), "drops link " + link + ", which is not open");
        }

        @Override
        public boolean isFatal(WeirException reason) {
            return false;
        }

        @Override
        public void over(WeirException reason) {
            over = true;
            moves.end();
        }

        @Override
        public void abandon(WeirException reason) {
            over = true;
            moves.end();
        }

        @Override
        public void lost(int link, WeirException reason, boolean wasTarget) {
            // A path is chosen for what waits.
        }

        @Override
        public void bootstrapLost(WeirException reason) {
            if (!away) {
                goesAway();
            }
        }

        @Override
        public void needed() {
            // The same.
        }

        @Override
        public void givenUp() {
            // The same.
        }

        @Override
        public void changed() {
            if (!over && !settling) {
                settling = true;
                moves.settle();
                settling = false;
            }
        }
    }
}
