/** The price service. */
@NullMarked
package io.weir.samples.shop.prices;

import org.jspecify.annotations.NullMarked;
