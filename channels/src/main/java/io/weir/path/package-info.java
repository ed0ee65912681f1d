/**
 * What is below a session: how two nodes admit each other on a connection, which path they choose, and the one link of
 * a session that lasts while connections and paths come and go. Of what goes over that link it knows the
 * {@link io.weir.path.Flags flags} only.
 *
 * <p>Users meet only what describes all this: {@link io.weir.path.PathDecision}, {@link io.weir.path.TunnelRoute} and
 * {@link io.weir.path.Identity}. Everything else here may change at any time.
 */
@NullMarked
package io.weir.path;

import org.jspecify.annotations.NullMarked;
