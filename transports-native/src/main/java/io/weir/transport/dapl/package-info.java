/**
 * The path {@code dapl}: RDMA networks through uDAPL 2.0 ({@code libdat2.so.2}), for systems that have a provider of it
 * and no libibverbs, or want to use it. What goes over a connection is {@link io.weir.transport.rdma}'s.
 */
@NullMarked
package io.weir.transport.dapl;

import org.jspecify.annotations.NullMarked;
