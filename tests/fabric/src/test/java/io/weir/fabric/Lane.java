package io.weir.fabric;

/** How much of what runs in a JVM or a guest of its own is to run: there, tags of JUnit would come too late. */
final class Lane {

    private Lane() {}

    /** With {@code -P whole}: everything. Otherwise each adapter's contract, once. */
    static boolean isWhole() {
        return Boolean.getBoolean("weir.fabric.whole");
    }
}
