/**
 * The vocabulary of Weir ({@link io.weir.core.Message}, {@link io.weir.core.PeerAddress}, {@link io.weir.core.Codec}
 * and the exceptions) and the interfaces that a transport implements ({@link io.weir.core.Transport},
 * {@link io.weir.core.Link}, {@link io.weir.core.Loop}, {@link io.weir.core.Bootstrap}).
 */
@NullMarked
package io.weir.core;

import org.jspecify.annotations.NullMarked;
