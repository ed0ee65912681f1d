package io.weir.channel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A source that emits now here, now there, but one after the other, as a sink does that was given more than it was
 * asked for: one message on a foreign thread, the next one on the loop when that asks for more, then the end on the
 * foreign thread. The last number: completed, failed.
 */
@JCStressTest
@State
@Outcome(id = "2, 2, 10", expect = Expect.ACCEPTABLE, desc = "Both were sent, and sending has completed.")
@Outcome(id = "2, 2, 0", expect = Expect.FORBIDDEN, desc = "The end has come, and nobody on the loop looks.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A message or the end was lost, or came twice.")
public class EmissionChangesThreads {

    /** Longer than the loop takes to ask, if it turns at the same time; if not, the end comes when the race is over. */
    private static final int PATIENCE = 1_000;

    private final Line line = new Line();
    private final Sent sent = new Sent();
    private final Source source = Source.subscribed(line, sent);
    private final Body first = new Body();
    private final Body second = new Body();
    private volatile boolean bothEmitted;
    private boolean completed;

    public EmissionChangesThreads() {
        source.whenAsked(() -> {
            source.emit(second);
            bothEmitted = true;
        });
        source.emit(first);
    }

    @Actor
    public void source() {
        for (int i = 0; i < PATIENCE && !bothEmitted; i++) {
            Thread.onSpinWait();
        }
        completeOnce();
    }

    private void completeOnce() {
        if (bothEmitted && !completed) {
            completed = true;
            source.complete();
        }
    }

    @Actor
    public void loop() {
        line.loop.turns(4);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        line.loop.drive(() -> {});
        completeOnce();
        line.loop.drive(() -> {});
        result.r1 = line.wire.messages;
        result.r2 = Body.releasedOnce(first, second);
        result.r3 = 10 * sent.completed + sent.failed;
    }
}
