package io.weir.tck;

import java.util.SplittableRandom;

/** How long the parts of the frames of a stream are. */
@FunctionalInterface
interface Sizes {

    int pick(SplittableRandom random);

    static Sizes exactly(int size) {
        return random -> size;
    }

    static Sizes upTo(int most) {
        return random -> random.nextInt(most + 1);
    }

    /** As many short as long ones: each order of magnitude is equally likely. */
    static Sizes ofEveryMagnitude(int most) {
        int magnitudes = 33 - Integer.numberOfLeadingZeros(most);
        return random -> Math.min(most, random.nextInt(1 << random.nextInt(magnitudes)));
    }

    /** Mostly the first, once in a while the other. */
    static Sizes mostly(Sizes usual, Sizes rare, int onceIn) {
        return random -> (random.nextInt(onceIn) == 0 ? rare : usual).pick(random);
    }
}
