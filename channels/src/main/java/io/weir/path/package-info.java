/**
 * What is below a session: how two nodes admit each other on a connection, which path they choose, and the one link of
 * a session that lasts while connections and paths come and go. Of what goes over that link it knows the
 * {@link io.weir.path.Flags flags} only.
 *
 * <p>No user meets anything of this: what describes it is in {@link io.weir.peer}. It may change at any time, and no
 * other module can use it where programs are made of modules.
 */
@NullMarked
package io.weir.path;

import org.jspecify.annotations.NullMarked;
