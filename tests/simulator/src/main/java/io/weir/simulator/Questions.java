package io.weir.simulator;

import io.weir.channel.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Some requests from one host to another, which answers them on a port of its own. */
final class Questions implements Item {

    static final String PORT = "questions";

    private final Simulation simulation;
    private final int number;
    private final Host near;
    private final Host far;
    private final List<Question> all = new ArrayList<>();
    private final long[] pauses;
    private long begun = -1;
    private @Nullable Incarnation asker;
    private boolean failed;

    Questions(Simulation simulation, int number, Host near, Host far, List<Question> known, SplittableRandom chance) {
        this.simulation = simulation;
        this.number = number;
        this.near = near;
        this.far = far;
        this.pauses = new long[chance.nextInt(1, 12)];
        for (int i = 0; i < pauses.length; i++) {
            Question question = new Question(simulation, this, known.size(), chance);
            known.add(question);
            all.add(question);
            pauses[i] = chance.nextInt(3) == 0 ? chance.nextLong(2_000_000) : 0;
        }
    }

    @Override
    public void begin() {
        Incarnation here = near.incarnation();
        if (!here.isThere()) {
            return;
        }
        begun = simulation.now();
        asker = here;
        simulation.trace(() -> this + " begin");
        var unused = here.node()
                .connect(far.address())
                .subscribe(peer -> connected(here, peer), this::unconnected, () -> {});
    }

    private void connected(Incarnation here, Peer peer) {
        Meeting.check(simulation, peer, here, far, begun);
        for (int i = 0; i < pauses.length; i++) {
            Question next = all.get(i);
            if (pauses[i] == 0) {
                next.ask(here, peer);
            } else {
                simulation.act(here, pauses[i], () -> next.ask(here, peer));
            }
        }
    }

    private void unconnected(Throwable error) {
        failed = true;
        simulation.trace(() -> this + " do not come about: " + error);
        if (!Meeting.mayFail(simulation, near, far, begun, error)) {
            simulation.violated(this + " have not come about for no reason that was planned", error);
        }
    }

    boolean sessionMayEnd() {
        return simulation.excuses().session(near, far, begun);
    }

    @Override
    public boolean isOver() {
        return begun < 0
                || failed
                || asker != null && asker.isStopped()
                || all.stream().allMatch(Question::isOver);
    }

    @Override
    public void checkAtRest() {
        if (begun < 0 || failed) {
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
        return "questions " + number + " from " + near + " to " + far;
    }
}
