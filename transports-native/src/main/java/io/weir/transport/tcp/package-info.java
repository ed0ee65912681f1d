/**
 * Frames over byte streams: TCP connections and Unix-domain sockets, on Reactor Netty, with TLS where it is
 * configured. Also the bootstrap, since a first connection is always one of these.
 */
@NullMarked
package io.weir.transport.tcp;

import org.jspecify.annotations.NullMarked;
