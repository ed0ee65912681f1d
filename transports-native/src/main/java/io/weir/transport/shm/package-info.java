/**
 * The path {@code shm}: memory shared between two processes of one user on one host. Each side makes the memory that it
 * sends through and passes it to the other over a Unix-domain socket, whose end tells the peer's death.
 *
 * <p>Unmapped memory that is touched kills the process. That can't happen here by construction: a link lets go of its
 * rings before it lets go of their mapping, every block holds the mapping that it lies in until it is released, and
 * nothing else can reach the memory.
 */
@NullMarked
package io.weir.transport.shm;

import org.jspecify.annotations.NullMarked;
