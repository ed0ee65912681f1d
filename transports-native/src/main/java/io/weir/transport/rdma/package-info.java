/**
 * What the adapters for networks that carry whole messages into registered memory have in common, whatever their
 * library: a ring of slots on each side, into which the other one sends, and a link that returns credit for them; a
 * pool of registered memory, out of which the other side reads long bodies itself.
 *
 * <p>An adapter brings a {@link io.weir.transport.rdma.Domain}, in which memory is registered, and for each peer a
 * {@link io.weir.transport.rdma.Wire}.
 */
@NullMarked
package io.weir.transport.rdma;

import org.jspecify.annotations.NullMarked;
