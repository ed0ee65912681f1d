/** One source, and many peers that take what it makes, each as fast as it can. */
@NullMarked
package io.weir.samples.broadcast;

import org.jspecify.annotations.NullMarked;
