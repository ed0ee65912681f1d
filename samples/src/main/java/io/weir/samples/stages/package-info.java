/** A pipeline whose stages run in other processes. */
@NullMarked
package io.weir.samples.stages;

import org.jspecify.annotations.NullMarked;
