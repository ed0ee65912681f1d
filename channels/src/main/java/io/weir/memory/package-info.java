/**
 * The memory that a node keeps for its peers: one account, from which each use takes what it needs before it exists.
 *
 * <p>Users meet {@link io.weir.memory.MemoryStats} and {@link io.weir.memory.MemoryUse}. The account itself may change
 * at any time.
 */
@NullMarked
package io.weir.memory;

import org.jspecify.annotations.NullMarked;
