/** Connecting, choosing a path, moving to another one, losing some or all of them, and going on. */
@NullMarked
package io.weir.integration.path;

import org.jspecify.annotations.NullMarked;
