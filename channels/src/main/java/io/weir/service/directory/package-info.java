/**
 * Where nodes find each other and what they serve: the directory of a cluster, in a folder of the host or in ZooKeeper.
 * Needs nothing of the other rooms.
 */
@NullMarked
package io.weir.service.directory;

import org.jspecify.annotations.NullMarked;
