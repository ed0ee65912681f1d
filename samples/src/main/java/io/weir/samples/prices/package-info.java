/** A price feed, and a consumer that takes its time. */
@NullMarked
package io.weir.samples.prices;

import org.jspecify.annotations.NullMarked;
