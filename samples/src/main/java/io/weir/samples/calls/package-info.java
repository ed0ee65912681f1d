/** A Java interface that is called in another process. */
@NullMarked
package io.weir.samples.calls;

import org.jspecify.annotations.NullMarked;
