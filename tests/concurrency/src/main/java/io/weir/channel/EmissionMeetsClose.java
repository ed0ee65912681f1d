package io.weir.channel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A thread emits two messages and the end while the channel is closed on the loop. The last number: completed, failed.
 */
@JCStressTest
@State
@Outcome(id = "[012], 2, 10", expect = Expect.ACCEPTABLE, desc = "Completed; what came after the close was released.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A message that leaked or was released twice, or not one completion.")
public class EmissionMeetsClose {

    private final Line line = new Line();
    private final Sent sent = new Sent();
    private final Source source = Source.subscribed(line, sent);
    private final Body first = new Body();
    private final Body second = new Body();

    @Actor
    public void source() {
        source.emit(first);
        source.emit(second);
        source.complete();
    }

    @Actor
    public void loop() {
        line.loop.turns(10);
        line.loop.drive(() -> line.channel().close().subscribe());
    }

    @Arbiter
    public void afterwards(III_Result result) {
        line.loop.drive(() -> {});
        result.r1 = line.wire.messages;
        result.r2 = Body.releasedOnce(first, second);
        result.r3 = 10 * sent.completed + sent.failed;
    }
}
