package io.weir.simulator;

import io.weir.core.FrameLayout;
import java.util.SplittableRandom;

/**
 * What one link is like.
 *
 * @param transport the name of its path
 * @param latency nanoseconds from one end to the other at least
 * @param jitter further nanoseconds at most
 * @param frames that may be under way in one direction
 * @param bytes that may be under way in one direction
 * @param maxFrame see {@link io.weir.core.Link#maxFrame()}
 * @param inPlace whether bodies of its own allocator need no cutting
 * @param shared whether both sides see the same memory: bodies are not copied, and what was not delivered can always be
 *     handed back; otherwise only if the link was asked to retain it
 * @param memory how many delivered frames it hands back as well, at most
 */
record Shape(
        String transport,
        long latency,
        long jitter,
        int frames,
        int bytes,
        int maxFrame,
        boolean inPlace,
        boolean shared,
        int memory) {

    private static final int LEAST = 32 << 10;

    static Shape tcp(SplittableRandom chance) {
        return new Shape(
                TcpTransport.NAME,
                chance.nextLong(5_000, 200_000),
                chance.nextLong(1, 100_000),
                chance.nextInt(24, 200),
                chance.nextInt(1, 8) * LEAST,
                LEAST << chance.nextInt(2),
                false,
                false,
                chance.nextInt(40));
    }

    static Shape shm(SplittableRandom chance) {
        return new Shape(
                ShmTransport.NAME,
                chance.nextLong(100, 5_000),
                chance.nextLong(1, 20_000),
                chance.nextInt(3, 40),
                chance.nextInt(1, 5) * LEAST,
                LEAST + FrameLayout.align(chance.nextInt(LEAST)),
                chance.nextInt(3) == 0,
                true,
                chance.nextInt(5));
    }
}
