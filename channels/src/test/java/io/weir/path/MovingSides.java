package io.weir.path;

import io.weir.core.FrameKind;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Two {@link Moves} and what is between them, as small as it can be: links are queues, frames are numbers. What the
 * sides agree about an attempt is cut down to PROPOSE, OPENED, USE and FAILED. {@link #steps} are all that can happen
 * next; each is tried on a {@link #copy}.
 */
final class MovingSides {

    /** More attempts than any honest way through takes, of two moves and three losses too. */
    private static final int MOST_ATTEMPTS = 8;

    /**
     * What can happen next.
     *
     * @param isFree whether it happens by itself, sooner or later; others may happen or not
     */
    record Step(String what, int side, int link, int first, int second, boolean isFree) {

        String name() {
            return what + (side == 0 ? " leader" : " follower") + " link " + link + ' ' + first + ' ' + second;
        }
    }

    /** A frame, or what becomes of the link at this place of its stream. */
    private record Sent(String kind, int number, int count) {

        @Override
        public String toString() {
            return kind + ' ' + number + ' ' + count;
        }
    }

    private final Side[] sides = new Side[2];
    private int movesLeft;
    private int lossesLeft;
    private final boolean bootstrapIsLost;
    private final TreeSet<Integer> broken;

    MovingSides(int moves, int losses, int frames, boolean bootstrapIsLost) {
        movesLeft = moves;
        lossesLeft = losses;
        this.bootstrapIsLost = bootstrapIsLost;
        broken = new TreeSet<>();
        sides[0] = new Side(0, frames);
        sides[1] = new Side(1, frames);
    }

    private MovingSides(MovingSides other) {
        movesLeft = other.movesLeft;
        lossesLeft = other.lossesLeft;
        bootstrapIsLost = other.bootstrapIsLost;
        broken = new TreeSet<>(other.broken);
        sides[0] = new Side(other.sides[0]);
        sides[1] = new Side(other.sides[1]);
    }

    MovingSides copy() {
        return new MovingSides(this);
    }

    void forgetsWhatWasUnderWay() {
        sides[0].forgets = true;
    }

    @Override
    public String toString() {
        return sides[0] + "\n      " + sides[1] + "\n      " + movesLeft + ' ' + lossesLeft + broken;
    }

    long hash() {
        String all = toString();
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < all.length(); i++) {
            hash = (hash ^ all.charAt(i)) * 0x100000001b3L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (Side side : sides) {
            side.coming.forEach((link, queue) -> {
                if (!queue.isEmpty()) {
                    steps.add(new Step("arrives at", side.index, link, 0, 0, true));
                }
            });
            if (side.toSend > 0 && side.clear) {
                steps.add(new Step("sends", side.index, side.current, 0, 0, true));
            }
        }
        Side leader = sides[0];
        if (leader.pending == 0 && !leader.away && leader.attempts < MOST_ATTEMPTS) {
            boolean needs = leader.moves.isSuspended() || leader.wants;
            boolean may = movesLeft > 0 && leader.moves.isSettled();
            if (needs || may) {
                steps.add(new Step("proposes a new one:", 0, leader.attempts + 1, 0, 0, needs));
            }
            if (needs || (may && leader.moves.target() != Moves.BOOTSTRAP)) {
                steps.add(new Step("proposes bootstrap:", 0, 0, leader.attempts + 1, 0, needs));
            }
        }
        if (leader.away) {
            steps.add(new Step("rejoins", 0, 0, 0, 0, true));
        }
        if (lossesLeft > 0) {
            if (leader.pending != 0) {
                steps.add(new Step("gives up", 0, leader.pending, 0, 0, false));
            }
            losses(steps);
        }
        return steps;
    }

    private void losses(List<Step> steps) {
        TreeSet<Integer> links = new TreeSet<>(sides[0].open);
        links.addAll(sides[1].open);
        if (bootstrapIsLost && !sides[0].away && !sides[1].away) {
            links.add(Moves.BOOTSTRAP);
        }
        links.removeAll(broken);
        for (int link : links) {
            for (int i = 0; i <= sides[0].coming(link).size(); i++) {
                for (int j = 0; j <= sides[1].coming(link).size(); j++) {
                    steps.add(new Step("breaks, arriving here and there:", 0, link, i, j, false));
                }
            }
        }
    }

    void run(Step step) {
        Side side = sides[step.side()];
        switch (step.what()) {
            case "arrives at" ->
                side.arrived(step.link(), side.coming(step.link()).remove());
            case "sends" -> side.sendNext();
            case "proposes a new one:" -> propose(step.link(), false);
            case "proposes bootstrap:" -> propose(step.first(), true);
            case "gives up" -> {
                lossesLeft--;
                side.fail(true);
            }
            case "rejoins" -> rejoin();
            default -> {
                lossesLeft--;
                broken.add(step.link());
                sides[0].breaks(step.link(), step.first());
                sides[1].breaks(step.link(), step.second());
            }
        }
    }

    private void propose(int number, boolean overBootstrap) {
        Side leader = sides[0];
        if (leader.moves.isSuspended() || leader.wants) {
            leader.wants = false;
        } else {
            movesLeft--;
        }
        leader.attempts = number;
        leader.begin(number, overBootstrap);
        leader.send(Moves.BOOTSTRAP, new Sent("PROPOSE", number, overBootstrap ? 1 : 0));
    }

    private void rejoin() {
        for (Side each : sides) {
            if (!each.away) {
                each.goesAway();
            }
        }
        int settled = sides[0].moves.settledNumber();
        boolean goesOn = settled != 0 && settled == sides[1].moves.settledNumber();
        broken.remove(Moves.BOOTSTRAP);
        for (Side each : sides) {
            each.coming.remove(Moves.BOOTSTRAP);
            each.comesBack(goesOn);
        }
    }

    /** Nothing more happens by itself. */
    void checkQuiet() {
        for (Side each : sides) {
            Side other = sides[1 - each.index];
            if (each.attempts >= MOST_ATTEMPTS) {
                continue;
            }
            if (!each.moves.isSettled() || !each.clear || each.away || other.received != each.made) {
                throw new AssertionError("stands still: " + sides[0] + '\n' + sides[1]);
            }
            if (each.current != other.current) {
                throw new AssertionError("one each way: " + sides[0] + '\n' + sides[1]);
            }
        }
    }

    /** One side, its state machine, and what has been sent to it. */
    private final class Side implements Moves.Effects {

        private final int index;
        private final Moves moves;
        private int toSend;
        private int made;
        private long framesSent;
        private long sentAgain;
        private int received;
        private boolean clear = true;
        private int current = 1;
        private int attempts = 1;
        private int pending;
        private boolean pendingOverBootstrap;
        private boolean wants;
        private boolean away;
        private boolean forgets;
        private final Deque<Integer> kept = new ArrayDeque<>();
        private final Deque<Integer> replay = new ArrayDeque<>();
        private final TreeSet<Integer> open = new TreeSet<>();
        private final TreeMap<Integer, Deque<Sent>> coming = new TreeMap<>();
        /** What was offered to each link, as that keeps it. */
        private final TreeMap<Integer, List<Integer>> offered = new TreeMap<>();

        Side(int index, int toSend) {
            this.index = index;
            this.toSend = toSend;
            open.add(1);
            moves = new Moves(1, false, this);
        }

        Side(Side other) {
            index = other.index;
            toSend = other.toSend;
            made = other.made;
            framesSent = other.framesSent;
            sentAgain = other.sentAgain;
            received = other.received;
            clear = other.clear;
            current = other.current;
            attempts = other.attempts;
            pending = other.pending;
            pendingOverBootstrap = other.pendingOverBootstrap;
            wants = other.wants;
            away = other.away;
            forgets = other.forgets;
            kept.addAll(other.kept);
            replay.addAll(other.replay);
            open.addAll(other.open);
            other.coming.forEach((link, queue) -> coming.put(link, new ArrayDeque<>(queue)));
            other.offered.forEach((link, frames) -> offered.put(link, new ArrayList<>(frames)));
            moves = new Moves(other.moves, this);
        }

        private Side peer() {
            return sides[1 - index];
        }

        private Deque<Sent> coming(int link) {
            return coming.computeIfAbsent(link, key -> new ArrayDeque<>());
        }

        private void send(int link, Sent sent) {
            boolean hears = link == Moves.BOOTSTRAP
                    ? !away && !peer().away
                    : peer().open.contains(link);
            if (hears && !broken.contains(link)) {
                peer().coming(link).add(sent);
            }
        }

        private void sendNext() {
            toSend--;
            offer(++made);
        }

        private void offer(int frame) {
            framesSent++;
            offered.computeIfAbsent(current, key -> new ArrayList<>()).add(frame);
            send(current, new Sent("DATA", frame, 0));
        }

        private void breaks(int link, int arrive) {
            Deque<Sent> queue = coming(link);
            while (queue.size() > arrive) {
                queue.removeLast();
            }
            if (link == Moves.BOOTSTRAP || open.contains(link)) {
                queue.add(new Sent("LOSS", 0, 0));
            }
        }

        private void close(int link) {
            coming.remove(link);
            open.remove(link);
            send(link, new Sent("LOSS", 0, 0));
        }

        // An attempt.

        private void begin(int number, boolean overBootstrap) {
            pending = number;
            pendingOverBootstrap = overBootstrap;
            if (!overBootstrap) {
                open.add(number);
            }
        }

        private void fail(boolean informs) {
            int number = pending;
            pending = 0;
            if (!pendingOverBootstrap) {
                close(number);
            }
            if (informs) {
                send(Moves.BOOTSTRAP, new Sent("FAILED", number, 0));
            }
        }

        private void opened() {
            int number = pending;
            pending = 0;
            wants = false;
            moves.opened(number, pendingOverBootstrap);
            settle();
        }

        private void settle() {
            moves.settle();
            clear |= moves.isClear();
        }

        private void goesAway() {
            if (pending != 0) {
                fail(false);
            }
            away = true;
            if (!moves.goesAway()) {
                throw new AssertionError("what was under way is not known");
            }
            settle();
        }

        private void comesBack(boolean goesOn) {
            boolean known = moves.comesBack(goesOn);
            offered.remove(Moves.BOOTSTRAP);
            away = false;
            if (!known) {
                throw new AssertionError("what was under way is not known");
            }
            settle();
        }

        private void arrived(int link, Sent in) {
            switch (in.kind()) {
                case "DATA" -> {
                    if (in.number() != received + 1) {
                        throw new AssertionError("frame " + in.number() + " after " + received);
                    }
                    received++;
                }
                case "LOSS" -> lostHere(link);
                case "PROPOSE" -> proposed(in.number(), in.count() == 1);
                case "OPENED" -> {
                    if (pending == in.number()) {
                        send(pendingOverBootstrap ? Moves.BOOTSTRAP : pending, new Sent("USE", pending, 0));
                    }
                }
                case "USE" -> {
                    if (pending == in.number()) {
                        if (index == 1) {
                            send(link, in);
                        }
                        opened();
                    }
                }
                case "FAILED" -> {
                    if (pending == in.number()) {
                        fail(false);
                    } else if (moves.used() == in.number()) {
                        moves.givenUpThere();
                    }
                }
                case "MOVE" -> moves.move(in.number(), in.count());
                case "MOVED" -> moves.moved(in.number());
                case "RESUME" -> moves.resume(in.number(), in.count());
                case "LOST", "LOST too" ->
                    moves.lostThere(
                            in.number(), in.count(), in.kind().equals("LOST too"), new SessionLost("lost there"));
                default -> throw new AssertionError(in.kind());
            }
        }

        private void lostHere(int link) {
            if (link == Moves.BOOTSTRAP) {
                goesAway();
            } else if (pending == link) {
                open.remove(link);
                fail(true);
            } else {
                moves.lost(link, new SessionLost("lost here"), false);
            }
        }

        private void proposed(int number, boolean overBootstrap) {
            if (pending != 0) {
                fail(false);
            }
            attempts = number;
            if (moves.next() != Moves.NONE) {
                send(Moves.BOOTSTRAP, new Sent("FAILED", number, 0));
                return;
            }
            begin(number, overBootstrap);
            send(Moves.BOOTSTRAP, new Sent("OPENED", number, 0));
        }

        // What the state machine has done.

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
            send(link, new Sent(kind.toString(), number, (int) count));
        }

        @Override
        public void sayLost(int number, int goesOver, boolean answers, String reason) {
            send(Moves.BOOTSTRAP, new Sent(answers ? "LOST too" : "LOST", number, goesOver));
        }

        @Override
        public void hold() {
            clear = false;
        }

        @Override
        public void sendOver(int link) {
            if (link != Moves.BOOTSTRAP && !open.contains(link)) {
                throw new AssertionError("goes over link " + link + ", which is not open");
            }
            current = link;
        }

        @Override
        public boolean takeBack(int link, boolean counts) {
            if (counts && !forgets) {
                kept.addAll(offered.getOrDefault(link, List.of()));
            }
            offered.remove(link);
            sentAgain -= replay.size();
            kept.addAll(replay);
            replay.clear();
            return true;
        }

        @Override
        public int kept() {
            return kept.size();
        }

        @Override
        public void sendAgain(long missing) {
            while (kept.size() > missing) {
                kept.remove();
            }
            sentAgain += missing;
            replay.addAll(kept);
            kept.clear();
        }

        @Override
        public void dropKept() {
            kept.clear();
        }

        @Override
        public boolean owes() {
            return !replay.isEmpty();
        }

        @Override
        public void replay() {
            while (!replay.isEmpty()) {
                offer(replay.remove());
            }
        }

        @Override
        public boolean hasDue(int link) {
            return false;
        }

        @Override
        public void drop(int link, boolean isOpen) {
            offered.remove(link);
            if (isOpen) {
                close(link);
            } else {
                coming.remove(link);
                open.remove(link);
            }
        }

        @Override
        public boolean isFatal(WeirException reason) {
            return false;
        }

        @Override
        public void over(WeirException reason) {
            throw new AssertionError("it is over", reason);
        }

        @Override
        public void abandon(WeirException reason) {
            throw new AssertionError("it is given up", reason);
        }

        @Override
        public void lost(int link, WeirException reason, boolean wasTarget) {
            // The leader looks for another path if something waits, see steps().
        }

        @Override
        public void bootstrapLost(WeirException reason) {
            goesAway();
        }

        @Override
        public void needed() {
            wants = true;
        }

        @Override
        public void givenUp() {
            // The same.
        }

        @Override
        public void changed() {
            settle();
        }

        @Override
        public String toString() {
            return moves + " " + toSend + ' ' + made + ' ' + framesSent + ' ' + sentAgain + ' ' + received + ' ' + clear
                    + ' ' + current + ' ' + attempts + ' ' + pending + pendingOverBootstrap + wants + away + kept
                    + replay
                    + open + coming + offered;
        }
    }
}
