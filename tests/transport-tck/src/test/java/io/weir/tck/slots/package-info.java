/** A network that carries messages into registered memory, within this process: what the adapters for such networks share is tested over it. */
@NullMarked
package io.weir.tck.slots;

import org.jspecify.annotations.NullMarked;
