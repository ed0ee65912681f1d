package io.weir.simulator;

/** Something that users do, and the model of what they may see of it. */
interface Item {

    void begin();

    /** Nothing more is to be expected. */
    boolean isOver();

    /** Long after everything has come to rest. */
    void checkAtRest();
}
