/** What both services have: the interface between them, and how each runs. */
@NullMarked
package io.weir.samples.shop.shared;

import org.jspecify.annotations.NullMarked;
