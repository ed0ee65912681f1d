package io.weir.simulator;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The chance that the JDK keeps for each thread: from here on it follows from a seed, where the JVM lets us reach it.
 */
final class ThreadChance {

    private ThreadChance() {}

    /** Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}; whether it was there. */
    static boolean seed(long seed) {
        // Else the first use would overwrite it.
        var unused = ThreadLocalRandom.current();
        try {
            Field field = Thread.class.getDeclaredField("threadLocalRandomSeed");
            field.setAccessible(true);
            field.setLong(Thread.currentThread(), seed);
            return true;
        } catch (InaccessibleObjectException | ReflectiveOperationException e) {
            return false;
        }
    }
}
