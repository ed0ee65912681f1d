/** Calls as interceptors, meters and traces see them. */
@NullMarked
package io.weir.integration.observation;

import org.jspecify.annotations.NullMarked;
