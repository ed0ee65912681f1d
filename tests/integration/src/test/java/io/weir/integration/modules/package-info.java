/** Weir on a module path. */
@NullMarked
package io.weir.integration.modules;

import org.jspecify.annotations.NullMarked;
