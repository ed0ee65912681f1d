package io.weir.channel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * A thread subscribes and asks for messages while the loop takes over what was asked for, and the subscriber asks there
 * too.
 */
@JCStressTest
@State
@Outcome(id = "111", expect = Expect.ACCEPTABLE, desc = "The sum of what was asked for.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Demand was lost or counted twice.")
public class DemandOnAndOffTheLoop {

    private final Line line = new Line();
    private final Taker taker = new Taker();

    public DemandOnAndOffTheLoop() {
        // Not on the loop: that has yet to attach the receiver when the race begins.
        line.channel().receive().subscribe(taker);
    }

    @Actor
    public void user() {
        taker.subscription().request(1);
        taker.subscription().request(10);
    }

    @Actor
    public void loop() {
        line.loop.drive(() -> taker.subscription().request(100));
    }

    @Arbiter
    public void afterwards(J_Result result) {
        line.loop.drive(() -> {});
        result.r1 = line.channel().inbound().window().demand();
    }
}
