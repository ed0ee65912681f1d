/**
 * What is below a session: how two nodes admit each other on a connection, which path they choose, and the one link of
 * a session that lasts while connections and paths come and go. Of what goes over that link it knows the
 * {@link io.weir.path.Flags flags} only.
 *
 * <p>This package is internal and not exported: it may change at any time. Users see {@link io.weir.peer}.
 */
@NullMarked
package io.weir.path;

import org.jspecify.annotations.NullMarked;
