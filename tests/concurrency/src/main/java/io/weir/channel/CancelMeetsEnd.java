package io.weir.channel;

import io.weir.core.FrameKind;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread cancels a receiver that has not been attached yet, while the loop attaches it to a message and the end. */
@JCStressTest
@State
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "Cancelled before: the message was released.")
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "The message was delivered, then all was over.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The message and the end were delivered before.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A message that leaked or was released twice, or a signal too many.")
public class CancelMeetsEnd {

    private final Line line = new Line();
    private final Taker taker = new Taker();
    private final Body body = new Body();

    public CancelMeetsEnd() {
        line.loop.drive(() -> line.comes(line.frame(FrameKind.DATA).body(body)));
        line.channel().receive().subscribe(taker);
        taker.subscription().request(1);
    }

    @Actor
    public void user() {
        taker.subscription().cancel();
    }

    @Actor
    public void loop() {
        line.loop.drive(() -> line.comes(line.frame(FrameKind.END)));
    }

    @Arbiter
    public void afterwards(III_Result result) {
        line.loop.drive(() -> {});
        result.r1 = taker.messages;
        result.r2 = Body.releasedOnce(body);
        result.r3 = taker.ends;
    }
}
