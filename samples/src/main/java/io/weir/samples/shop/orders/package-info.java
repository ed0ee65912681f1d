/** The order service. */
@NullMarked
package io.weir.samples.shop.orders;

import org.jspecify.annotations.NullMarked;
