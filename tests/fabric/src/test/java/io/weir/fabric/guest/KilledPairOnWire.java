package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Fabric.End;
import io.weir.fabric.guest.Streaming.At;
import io.weir.samples.process.Serving;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two processes of which one or both die at any moment, and those that come after them. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class KilledPairOnWire {

    private static final long SEED = 20;

    /** That of the path, and what a busy machine adds. */
    private static final Duration NOTICED = Duration.ofSeconds(2 + 8);

    private static final long WHILE_CONNECTING_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long WHILE_STREAMING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private enum Killed {
        NEAR_CONNECTING,
        BOTH_CONNECTING,
        NEAR,
        FAR,
        BOTH
    }

    private final Random random = new Random(SEED);
    private @Nullable Program far;
    private String address = "";

    @Test
    void thoseThatComeAfterThemWorkAtOnce() throws IOException, InterruptedException {
        List<Killed> all = new ArrayList<>(List.of(Killed.values()));
        Collections.shuffle(all, random);
        try {
            for (Killed each : all) {
                play(each);
            }
            try (Program near = streaming()) {
                streams(near);
                var unused = near.leave();
            }
            var unused = far().leave();
        } finally {
            if (far != null) {
                far.close();
            }
        }
    }

    private void play(Killed who) throws IOException, InterruptedException {
        try (Program near = streaming()) {
            if (who == Killed.NEAR_CONNECTING || who == Killed.BOTH_CONNECTING) {
                var unused = near.says("CONNECTS 0");
                pause(WHILE_CONNECTING_NANOS);
            } else {
                streams(near);
                pause(WHILE_STREAMING_NANOS);
            }
            if (who != Killed.FAR) {
                near.kill();
            }
            if (who != Killed.NEAR && who != Killed.NEAR_CONNECTING) {
                far().kill();
                far().close();
                far = null;
            }
            if (who == Killed.FAR) {
                long begun = System.nanoTime();
                assertThat(near.says("LOST 0")).contains("SessionLost", "is gone");
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NOTICED);
                var unused = near.leave();
            }
        }
    }

    /** The moment is any one; that it is another one each time is all that matters. */
    private void pause(long most) {
        LockSupport.parkNanos(random.nextLong(most));
    }

    private Program far() throws IOException {
        Program now = far;
        if (now == null) {
            now = Program.serve(Jvm.command(FarProcess.class), Fabric.P4SOCK.environment(End.FAR));
            far = now;
        }
        return now;
    }

    private Program streaming() throws IOException, InterruptedException {
        address = far().says(Serving.READY);
        return Program.serve(Jvm.command(Streaming.class, address), Fabric.P4SOCK.environment(End.NEAR));
    }

    /** Over the path at once, with nobody else there, since the far side has seen the one before go. */
    private static void streams(Program near) throws IOException, InterruptedException {
        assertThat(near.says("PATH 0")).isEqualTo("p4sock");
        long begun = System.nanoTime();
        var alone = near.says("ALONE 0");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(alone).isLessThan(NOTICED);
        var unused = At.now(near, 0).further(near, 0);
    }
}
