/** The demonstration: two processes, one stream, a slow stage at its end. */
@NullMarked
package io.weir.samples.demo;

import org.jspecify.annotations.NullMarked;
