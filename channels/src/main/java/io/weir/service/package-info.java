/**
 * What applications use day to day, on top of channels: services found by their names, called and offered. The
 * packages below hold what this is made of, and know nothing of it: {@link io.weir.service.directory the directory},
 * {@link io.weir.service.remote remote interfaces} and {@link io.weir.service.gateway gateways}.
 * {@link io.weir.service.socket Sockets} stand beside them. Written against the public face of {@code io.weir.channel}
 * only.
 */
@NullMarked
package io.weir.service;

import org.jspecify.annotations.NullMarked;
