package io.weir.simulator;

import io.weir.channel.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Some requests from one host to another, which answers them on a port of its own. */
final class Questions extends Errand {

    static final String PORT = "questions";

    private final int number;
    private final List<Question> all = new ArrayList<>();
    private final long[] pauses;

    Questions(Simulation simulation, int number, Host near, Host far, List<Question> known, SplittableRandom chance) {
        super(simulation, near, far);
        this.number = number;
        this.pauses = new long[chance.nextInt(1, 12)];
        for (int i = 0; i < pauses.length; i++) {
            Question question = new Question(simulation, this, known.size(), chance);
            known.add(question);
            all.add(question);
            pauses[i] = chance.nextInt(3) == 0 ? chance.nextLong(2_000_000) : 0;
        }
    }

    @Override
    void send(Incarnation here, Peer peer) {
        for (int i = 0; i < pauses.length; i++) {
            Question next = all.get(i);
            if (pauses[i] == 0) {
                next.ask(here, peer);
            } else {
                simulation.act(here, pauses[i], () -> next.ask(here, peer));
            }
        }
    }

    @Override
    public boolean isOver() {
        return cameToNothing() || isStopped() || all.stream().allMatch(Question::isOver);
    }

    @Override
    public void checkAtRest() {
        if (cameToNothing()) {
            return;
        }
        for (Question each : all) {
            if (!each.isOver()) {
                simulation.violated(each + (each.isAsked() ? " was never answered" : " was never asked"));
            }
        }
    }

    @Override
    public String toString() {
        return "questions " + number + way();
    }
}
