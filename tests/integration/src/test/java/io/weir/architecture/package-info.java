/** The architecture as rules: which module may know which, what is public, and what never happens in the product. */
@NullMarked
package io.weir.architecture;

import org.jspecify.annotations.NullMarked;
