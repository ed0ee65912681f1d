package io.weir.config;

/** Where the nodes of a cluster find each other and what they serve ({@code weir.directory}). */
public enum DirectoryKind {
    /** In the run-time folder: the processes of one user on one host. */
    LOCAL,
    /** Nowhere: only what the configuration names. */
    OFF,
    /** In ZooKeeper. */
    ZOOKEEPER
}
