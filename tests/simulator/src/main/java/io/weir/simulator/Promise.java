package io.weir.simulator;

/** What users may rely on when a data link breaks while the bootstrap connection goes on. */
enum Promise {
    /** The session ends, and both sides hear of it. */
    SESSION_ENDS_WITH_ITS_LINK,
    /** The session goes on over another path: nothing is lost, doubled or reordered, and nobody hears of it. */
    SESSION_OUTLIVES_ITS_LINK;

    /** What is promised today; {@code -Dweir.simulator.promise} overrides it. */
    static Promise current() {
        String name = System.getProperty("weir.simulator.promise", "");
        return name.isEmpty() ? SESSION_OUTLIVES_ITS_LINK : valueOf(name);
    }
}
