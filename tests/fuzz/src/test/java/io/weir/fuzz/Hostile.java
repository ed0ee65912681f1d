package io.weir.fuzz;

import com.sun.management.ThreadMXBean;
import io.weir.core.ForeignText;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;

/** What all tests here demand of whoever reads the bytes of others. */
public final class Hostile {

    /** Characters of an error: a log has to hold it. */
    private static final int LONGEST_ERROR = 2000;

    private static final int ATTEMPTS = 4;

    /** The fuzzer's hooks take memory as well, on each comparison of texts. */
    private static final int HOOKED = "1".equals(System.getenv("JAZZER_FUZZ")) ? 16 : 1;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Hostile() {}

    /** Fails with this text, where that is not so. */
    public static void check(boolean isSo, Object about) {
        if (!isSo) {
            throw new AssertionError(about);
        }
    }

    /** An error that goes to a log must not be able to disturb that, and must not fill it. */
    public static void checkText(Throwable error) {
        String text = String.valueOf(error.getMessage());
        check(text.equals(ForeignText.harmless(text)), "an error disturbs the log: " + error);
        check(text.length() <= LONGEST_ERROR, "an error has " + text.length() + " characters: " + error);
    }

    /**
     * Does this, and looks what this thread takes from the heap for it, be it kept or not. So it shows effort as well,
     * where that is copying. What takes too much is done again: at first, classes are loaded.
     *
     * @param most bytes
     */
    public static <T> T within(long most, Callable<T> what) throws Exception {
        long before = taken();
        try {
            return what.call();
        } finally {
            if (taken() - before > most * HOOKED) {
                checkOnceMore(most * HOOKED, what);
            }
        }
    }

    private static void checkOnceMore(long most, Callable<?> what) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && least > most; i++) {
            long before = taken();
            try {
                Object unused = what.call();
            } catch (Exception e) {
                // As before.
            }
            least = Math.min(least, taken() - before);
        }
        check(least <= most, least + " bytes were taken, where " + most + " are enough");
    }

    /** Bytes that this thread has taken from the heap so far. */
    public static long taken() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
