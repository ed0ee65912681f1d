package io.weir.simulator;

/** What a simulated link does wrong on purpose, once in a schedule, to see that the model notices. */
enum Mutation {
    NONE,
    DROPS_A_FRAME,
    DOUBLES_A_FRAME,
    SWAPS_TWO_FRAMES,
    ALTERS_A_BODY,
    LEAKS_A_BODY,
    ALTERS_A_PROOF,
    HANDS_BACK_ALL_BUT_THE_LAST
}
