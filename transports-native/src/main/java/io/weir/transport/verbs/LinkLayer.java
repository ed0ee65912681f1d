package io.weir.transport.verbs;

import org.jspecify.annotations.Nullable;

/** What carries the packets of a port: who is reached by what address depends on it. */
enum LinkLayer {
    /** Within one subnet, by LID. */
    INFINIBAND(1, "ib"),
    /** Over Ethernet, by GID. */
    ROCE(2, "roce");

    private final int number;
    private final String word;

    LinkLayer(int number, String word) {
        this.number = number;
        this.word = word;
    }

    /** As libibverbs says it of a port. Zero is what old drivers say, all of which are for InfiniBand. */
    static @Nullable LinkLayer ofPort(int number) {
        return number == 0 ? INFINIBAND : of(number);
    }

    static @Nullable LinkLayer of(int number) {
        for (LinkLayer each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    /** In offers, and of libibverbs. */
    int number() {
        return number;
    }

    /** In cards. */
    String word() {
        return word;
    }
}
