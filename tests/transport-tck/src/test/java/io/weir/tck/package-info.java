/** The contract of a transport, run against every adapter and against a link in memory. */
@NullMarked
package io.weir.tck;

import org.jspecify.annotations.NullMarked;
