package io.weir.transport.shm;

import io.weir.core.Frame;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The ring is full. The receiver reads a long record and tells so, while the sender wants to write in its place. */
@JCStressTest
@State
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "There was no room yet; what was there came whole.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "There was room, as what was there had been read whole.")
@Outcome(
        id = "1, 2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "There was room, and the new record was read in the same go.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record was overwritten before it was read, torn or lost.")
public class RoomIsTold {

    private static final int BODY = 1000;

    /** How often the sender tries, so that it often does so just when there is room. */
    private static final int TRIES = 100;

    private final Ring ring = Ring.at(0);
    private final Frame next;

    public RoomIsTold() {
        ring.write(ring.frame(BODY));
        ring.fillUp();
        // Leaves out the last bytes of the ring, and so must be a little shorter to find room.
        next = ring.frame(BODY - 2 * RecordLayout.RESERVE - 8);
    }

    @Actor
    public void sender(III_Result result) {
        for (int i = 0; i < TRIES && result.r1 == 0; i++) {
            result.r1 = ring.frames.write(next) ? 1 : 0;
        }
        ring.writer.publish();
    }

    @Actor
    public void receiver(III_Result result) {
        result.r2 = ring.readAll();
    }

    @Arbiter
    public void afterwards(III_Result result) {
        result.r3 = ring.readAll();
        if (result.r1 == 0) {
            // Was numbered and never sent.
            ring.write(next);
            ring.writer.publish();
            var unused = ring.readAll();
        }
        ring.over();
    }
}
