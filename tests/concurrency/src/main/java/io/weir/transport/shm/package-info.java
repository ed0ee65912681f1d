/** Races between the two ends of a direction in shared memory. */
@NullMarked
package io.weir.transport.shm;

import org.jspecify.annotations.NullMarked;
