/** A simulation that streams what it computes, and is steered meanwhile. */
@NullMarked
package io.weir.samples.steering;

import org.jspecify.annotations.NullMarked;
