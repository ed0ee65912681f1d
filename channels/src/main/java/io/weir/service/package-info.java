/**
 * What applications use day to day, on top of channels: services found by their names, Java interfaces called over the
 * cluster, sockets, gateways. Written against the public face of {@code io.weir.channel} only.
 */
@NullMarked
package io.weir.service;

import org.jspecify.annotations.NullMarked;
