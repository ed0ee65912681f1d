package io.weir.transport.loop;

import java.util.concurrent.RejectedExecutionException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread brings a task while the loop ends. */
@JCStressTest
@State
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Accepted, and run once.")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Refused, and not run.")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "Accepted and never run.")
@Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "Refused and run all the same.")
public class TaskAtTheEnd {

    private final Tasks tasks = new Tasks("race");
    private int ran;

    @Actor
    public void thread(II_Result result) {
        try {
            boolean wakes = tasks.add(() -> ran++);
            result.r1 = 1;
        } catch (RejectedExecutionException e) {
            result.r1 = 0;
        }
    }

    @Actor
    public void loop() {
        tasks.end().forEach(Runnable::run);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = ran;
    }
}
