package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Some messages from one host to the mailbox of another, one after the other. */
final class Letters extends Errand {

    private final int number;
    private final List<Letter> all = new ArrayList<>();
    private final long[] pauses;
    /** The mailbox was closed, so letters may be refused or lost. */
    private boolean refused;

    Letters(Simulation simulation, int number, Host near, Host far, List<Letter> known, SplittableRandom chance) {
        super(simulation, near, far);
        this.number = number;
        Content content = new Content(simulation.ledger(), chance);
        this.pauses = new long[chance.nextInt(4) == 0 ? chance.nextInt(1, 150) : chance.nextInt(1, 20)];
        boolean slowly = chance.nextInt(3) == 0;
        for (int i = 0; i < pauses.length; i++) {
            Letter letter = new Letter(simulation, this, known.size(), content, chance);
            known.add(letter);
            all.add(letter);
            pauses[i] = slowly && chance.nextInt(3) == 0 ? chance.nextLong(2_000_000) : 0;
        }
    }

    @Override
    void send(Incarnation here, Peer peer) {
        send(here, peer, 0);
    }

    private void send(Incarnation here, Peer peer, int from) {
        for (int i = from; i < pauses.length; i++) {
            int next = i;
            if (next > from && pauses[next] > 0) {
                simulation.act(here, pauses[next], () -> send(here, peer, next));
                return;
            }
            all.get(next).send(here, peer);
        }
    }

    boolean isTo(Host host) {
        return far == host;
    }

    void mailboxCloses() {
        refused = true;
    }

    /** Whether a letter may come to nothing. */
    boolean mayBeLost() {
        return refused || sessionMayEnd();
    }

    /** Whether this may be said of a letter that is not read, or whose answer is not sent. */
    boolean mayFail(Throwable reason) {
        return reason instanceof Refused ? mayBeLost() : simulation.excuses().endsSession(reason) && sessionMayEnd();
    }

    /** This one is read: those before it must have been, unless another reader takes them. */
    void checkOrder(Letter read, boolean byKind) {
        if (refused) {
            return;
        }
        for (Letter each : all) {
            if (each.equals(read)) {
                return;
            }
            boolean sameWay = !byKind || each.isUrgent() == read.isUrgent();
            if (sameWay && !each.isRead() && !each.isWithdrawn()) {
                simulation.violated(read + " is read before " + each);
            }
        }
    }

    @Override
    public boolean isOver() {
        return cameToNothing() || isStopped() || all.stream().allMatch(Letter::isOver) && (allRead() || mayBeLost());
    }

    private boolean allRead() {
        return all.stream().allMatch(each -> each.isRead() || each.isWithdrawn());
    }

    @Override
    public void checkAtRest() {
        if (cameToNothing()) {
            return;
        }
        boolean mayHaveBeenLost = mayBeLost();
        all.forEach(each -> each.checkAtRest(mayHaveBeenLost));
    }

    @Override
    public String toString() {
        return "letters " + number + way();
    }
}
