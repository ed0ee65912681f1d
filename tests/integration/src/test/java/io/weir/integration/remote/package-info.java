/** Java interfaces that are exported on one side and called on the other. */
@NullMarked
package io.weir.integration.remote;

import org.jspecify.annotations.NullMarked;
