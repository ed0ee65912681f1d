package io.weir.transport.local;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Where the two halves of a link find each other: two nodes of one JVM share nothing else. Any thread. */
final class Halves {

    private static final Map<UUID, LocalLink> WAITING = new ConcurrentHashMap<>();

    private Halves() {}

    static void register(UUID number, LocalLink half) {
        WAITING.put(number, half);
    }

    /** The half of this number, which nobody else gets any longer; null if there is none. */
    static @Nullable LocalLink take(UUID number) {
        return WAITING.remove(number);
    }

    static void withdraw(UUID number) {
        WAITING.remove(number);
    }

    /** How many halves wait for their other one. */
    static int waiting() {
        return WAITING.size();
    }
}
