package io.weir.transport.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread brings a task while the loop falls asleep and looks once more. */
@JCStressTest
@State
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Asleep, and the thread is told to wake it.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The loop has seen the task, and nobody wakes it.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The loop has seen the task, and is woken for nothing.")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Asleep with a task there, and nobody wakes it.")
public class TaskWakesLoop {

    private final Tasks tasks = new Tasks("race");

    @Actor
    public void thread(II_Result result) {
        result.r1 = tasks.add(() -> {}) ? 1 : 0;
    }

    @Actor
    public void loop(II_Result result) {
        tasks.fallAsleep();
        result.r2 = tasks.isEmpty() ? 0 : 1;
    }
}
