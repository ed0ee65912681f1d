/** Frames between two nodes of one JVM: through a bounded queue, with bodies passed by reference. */
@NullMarked
package io.weir.transport.local;

import org.jspecify.annotations.NullMarked;
