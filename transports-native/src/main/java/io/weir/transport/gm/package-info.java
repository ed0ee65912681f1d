/**
 * The path {@code gm}: Myrinet through GM ({@code libgm.so}). The library and its header are not to be had any more:
 * what is called here is written from what its users have published, and tested against an emulation. What goes over a
 * connection is {@link io.weir.transport.rdma}'s.
 */
@NullMarked
package io.weir.transport.gm;

import org.jspecify.annotations.NullMarked;
