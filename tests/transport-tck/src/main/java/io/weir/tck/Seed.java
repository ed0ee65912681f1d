package io.weir.tck;

import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Where all randomness of the tests comes from: another seed in each run, or the one of {@code -Dweir.seed}. As a JUnit
 * extension it adds the seed to every failure, so that the run can be repeated.
 */
public final class Seed implements TestExecutionExceptionHandler {

    private static final long VALUE = Long.getLong("weir.seed", System.nanoTime());

    /** The seed of this run. */
    public static long value() {
        return VALUE;
    }

    /** The seed for one purpose: the same in every run of one seed, whatever else ran before. */
    public static long of(String purpose) {
        return new SplittableRandom(VALUE ^ ((long) purpose.hashCode() << 20)).nextLong();
    }

    /** A generator for one purpose. */
    public static SplittableRandom random(String purpose) {
        return new SplittableRandom(of(purpose));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        failure.addSuppressed(new Repeat());
        throw failure;
    }

    private static final class Repeat extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Repeat() {
            super("repeat this run with -Dweir.seed=" + VALUE, null, false, false);
        }
    }
}
