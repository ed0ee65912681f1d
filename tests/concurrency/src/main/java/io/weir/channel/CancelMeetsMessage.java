package io.weir.channel;

import io.weir.core.FrameKind;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread cancels while the loop brings two messages, of which one was asked for. */
@JCStressTest
@State
@Outcome(id = "0, 2, 0", expect = Expect.ACCEPTABLE, desc = "Cancelled before: both were released.")
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "One was delivered, then all was over.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A message that leaked or was released twice, or a signal too many.")
public class CancelMeetsMessage {

    private final Line line = new Line();
    private final Taker taker = new Taker();
    private final Body first = new Body();
    private final Body second = new Body();

    public CancelMeetsMessage() {
        line.loop.drive(() -> line.channel().receive().subscribe(taker));
        line.loop.drive(() -> taker.subscription().request(1));
    }

    @Actor
    public void user() {
        taker.subscription().cancel();
    }

    @Actor
    public void loop() {
        line.loop.drive(() -> {
            line.comes(line.frame(FrameKind.DATA).body(first));
            line.comes(line.frame(FrameKind.DATA).body(second));
        });
    }

    @Arbiter
    public void afterwards(III_Result result) {
        line.loop.drive(() -> {});
        result.r1 = taker.messages;
        result.r2 = Body.releasedOnce(first, second);
        result.r3 = taker.ends;
    }
}
