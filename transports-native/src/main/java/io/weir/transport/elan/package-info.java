/**
 * The path {@code elan}: QsNetII through Quadrics' libelan; it refuses the older QsNet. The library and its header are
 * not to be had any more: what is called here is written from what its users have published, and tested against an
 * emulation. What goes over a connection is {@link io.weir.transport.rdma}'s.
 */
@NullMarked
package io.weir.transport.elan;

import org.jspecify.annotations.NullMarked;
