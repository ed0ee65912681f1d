/** The {@code weir} command and the runnable programs behind it. */
@NullMarked
package io.weir.samples;

import org.jspecify.annotations.NullMarked;
