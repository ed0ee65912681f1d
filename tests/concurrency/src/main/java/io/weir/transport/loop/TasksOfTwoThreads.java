package io.weir.transport.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread and the loop itself bring tasks at once, the thread two of them, while the loop runs what it finds. */
@JCStressTest
@State
@Outcome(id = "[123], 12, 1", expect = Expect.ACCEPTABLE, desc = "All have run once, those of the thread in order.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "A task was lost, has run twice, or has overtaken another one of its thread.")
public class TasksOfTwoThreads {

    private final Tasks tasks = new Tasks("race");
    private final Failures failures = new Failures("race");
    /** What of the thread's has run, written down by each. */
    private int ofThread;

    private int ofLoop;

    @Actor
    public void thread() {
        boolean wakes = tasks.add(() -> ofThread = 10 * ofThread + 1);
        wakes = tasks.add(() -> ofThread = 10 * ofThread + 2);
    }

    @Actor
    public void loop(III_Result result) {
        boolean wakes = tasks.add(() -> ofLoop++);
        result.r1 = tasks.run(failures);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        int more = tasks.run(failures);
        result.r2 = ofThread;
        result.r3 = ofLoop;
    }
}
