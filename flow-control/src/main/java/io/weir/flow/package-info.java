/**
 * Flow control as pure book-keeping: the sender's {@link io.weir.flow.Credits}, the receiver's
 * {@link io.weir.flow.Window}, plans for cutting and joining long messages, and the order in which things get their
 * turn to send.
 *
 * <p>Nothing here knows buffers, links or threads. No class is thread-safe: each object belongs to one loop. Nothing is
 * allocated after construction, except when {@link io.weir.flow.Lanes} has to grow.
 */
@NullMarked
package io.weir.flow;

import org.jspecify.annotations.NullMarked;
