package io.weir.core;

/** Something that a {@link Loop} looks at in every turn, such as a ring in shared memory. Loop thread only. */
public interface Pollable {

    /** Does a bounded amount of what there is to do. Returns how much that was; zero lets the loop come to rest. */
    int poll();

    /**
     * The loop is about to sleep. Tells whoever brings work that a wake-up is needed from now on, then, after a full
     * fence, looks once more.
     *
     * @return false if there is work after all: the loop does not sleep and calls {@link #awake()}
     */
    boolean asleep();

    /** The loop is awake again: no wake-up is needed. Called after every {@link #asleep()}, whatever it returned. */
    void awake();

    /**
     * A loop that polls many asks this of those that have had no work for a while. True: this is {@link #asleep()} from
     * now on, and is not polled until it has itself roused, which it does as soon as there may be work, whoever brings
     * it. False: it is awake, and polled as before.
     */
    default boolean becomeQuiet() {
        return false;
    }
}
