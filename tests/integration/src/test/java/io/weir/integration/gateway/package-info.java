/** Networks that can't reach each other, and the node between them. */
@NullMarked
package io.weir.integration.gateway;

import org.jspecify.annotations.NullMarked;
