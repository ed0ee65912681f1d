/**
 * The thread that everything of a node runs on: {@link io.weir.transport.loop.NettyLoop} polls rings between looks at
 * the sockets of one Netty event loop.
 */
@NullMarked
package io.weir.transport.loop;

import org.jspecify.annotations.NullMarked;
