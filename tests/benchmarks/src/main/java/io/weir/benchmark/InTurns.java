package io.weir.benchmark;

import java.time.Duration;

/** What is measured one after another, several times, and can be told how often and how long. */
interface InTurns<T extends InTurns<T>> {

    T withRounds(int more);

    T withLength(Duration other);
}
