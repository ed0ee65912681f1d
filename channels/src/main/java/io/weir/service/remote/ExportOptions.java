package io.weir.service.remote;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How an object is exported. Immutable: each method gives a copy with one thing changed.
 *
 * @param codec of arguments and results
 * @param blockingCalls how many methods that return their value itself, or nothing, run at once, of one peer at most
 *     half of what others leave; further ones fail with {@link io.weir.core.Overloaded} at the caller, who may repeat
 *     them
 * @param tellsStacks whether the first lines of an exception's stack are sent to the caller: good where all peers are
 *     friends
 * @param executor where these methods run, which stays the caller's, outlives the export, and must not run them on the
 *     thread that hands them over; what it rejects fails with {@link io.weir.core.Overloaded}. Null: threads of the
 *     export's own, virtual ones where the JDK has them
 */
public record ExportOptions(
        CallCodec codec,
        int blockingCalls,
        boolean tellsStacks,
        @Nullable Executor executor) {

    /** @throws IllegalArgumentException if no call may run */
    public ExportOptions {
        Objects.requireNonNull(codec, "codec");
        if (blockingCalls < 1) {
            throw new IllegalArgumentException(blockingCalls + " blocking calls at once: one at least has to run");
        }
    }

    /** CBOR, 256 blocking calls at once, no stacks. */
    public static ExportOptions standard() {
        return new ExportOptions(CallCodecs.cbor(), 256, false, null);
    }

    /** Another codec. */
    public ExportOptions codec(CallCodec other) {
        return new ExportOptions(other, blockingCalls, tellsStacks, executor);
    }

    /** Another number of blocking calls at once. */
    public ExportOptions blockingCalls(int other) {
        return new ExportOptions(codec, other, tellsStacks, executor);
    }

    /** Whether stacks are sent. */
    public ExportOptions tellsStacks(boolean other) {
        return new ExportOptions(codec, blockingCalls, other, executor);
    }

    /** Other threads for methods that may block. */
    public ExportOptions executor(Executor other) {
        return new ExportOptions(codec, blockingCalls, tellsStacks, Objects.requireNonNull(other, "executor"));
    }
}
