/** A program of Java RMI that knows nothing of Weir, and the sample that runs it over Weir. */
@NullMarked
package io.weir.samples.rmi;

import org.jspecify.annotations.NullMarked;
