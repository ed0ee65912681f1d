/** Tests that need a wire between two interfaces of this host, which {@link io.weir.fabric.WireTest} lays. */
@NullMarked
package io.weir.fabric.wire;

import org.jspecify.annotations.NullMarked;
