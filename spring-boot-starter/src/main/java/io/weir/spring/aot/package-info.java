/** What a native image has to know of Weir. */
@NullMarked
package io.weir.spring.aot;

import org.jspecify.annotations.NullMarked;
