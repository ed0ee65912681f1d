/**
 * The threads on which a node moves its messages, {@code weir.loops} of them: each
 * {@link io.weir.transport.loop.NettyLoop} polls rings between looks at the sockets of one Netty event loop.
 */
@NullMarked
package io.weir.transport.loop;

import org.jspecify.annotations.NullMarked;
