package io.weir.channel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** Two threads beside the loop ask for messages. */
@JCStressTest
@State
@Outcome(id = "111", expect = Expect.ACCEPTABLE, desc = "The sum of what was asked for.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Demand was lost or counted twice.")
public class DemandOfTwoThreads {

    private final Line line = new Line();
    private final Taker taker = new Taker();

    public DemandOfTwoThreads() {
        line.loop.drive(() -> line.channel().receive().subscribe(taker));
    }

    @Actor
    public void one() {
        taker.subscription().request(1);
        taker.subscription().request(10);
    }

    @Actor
    public void other() {
        taker.subscription().request(100);
    }

    @Arbiter
    public void afterwards(J_Result result) {
        line.loop.drive(() -> {});
        result.r1 = line.channel().inbound().window().demand();
    }
}
