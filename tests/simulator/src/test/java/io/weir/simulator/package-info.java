/** Many schedules, some that once found something, and whether the model notices what is wrong. */
@NullMarked
package io.weir.simulator;

import org.jspecify.annotations.NullMarked;
