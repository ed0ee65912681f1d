package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.Loop;
import io.weir.core.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** A loop with a native event mechanism wakes up for descriptors. */
interface WatchContract extends Loops {

    @Test
    default void watchesDescriptors() throws Exception {
        with(Waiting.BALANCED, loop -> {
            try (OpenPipe pipe = OpenPipe.open()) {
                assumeTrue(pipe.descriptor() >= 0, "descriptors can't be listed here");
                watch(loop, pipe.pipe(), pipe.descriptor());
            }
        });
    }

    private static void watch(Loop loop, Pipe pipe, int descriptor) throws Exception {
        AtomicInteger read = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        pipe.source().configureBlocking(false);
        Disposable watch = End.call(loop, "loop", () -> {
            try {
                return loop.watch(descriptor, () -> {
                    assertThat(loop.inLoop()).isTrue();
                    calls.incrementAndGet();
                    read.addAndGet(readAll(pipe));
                });
            } catch (UnsupportedOperationException e) {
                return null;
            }
        });
        assumeTrue(watch != null, "this loop watches no descriptors");
        for (int round = 1; round <= 500; round++) {
            int expected = round;
            assertThat(pipe.sink().write(ByteBuffer.wrap(new byte[1]))).isEqualTo(1);
            Await.until("byte " + expected + " is read", () -> read.get() == expected);
        }
        Loops.on(loop, watch::dispose);
        int callsThen = calls.get();
        assertThat(pipe.sink().write(ByteBuffer.wrap(new byte[1]))).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            Loops.on(loop, () -> {});
        }
        assertThat(calls).hasValue(callsThen);
        assertThat(readAll(pipe)).as("bytes left: the descriptor stays open").isEqualTo(1);
    }

    private static int readAll(Pipe pipe) {
        ByteBuffer bytes = ByteBuffer.allocate(64);
        int all = 0;
        try {
            for (int count = pipe.source().read(bytes.clear());
                    count > 0;
                    count = pipe.source().read(bytes.clear())) {
                all += count;
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return all;
    }
}
