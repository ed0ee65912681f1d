/**
 * What is known of a peer: who it is, over which path it is reached and why, and through which gateways. Only values;
 * what finds them out is not here.
 */
@NullMarked
package io.weir.peer;

import org.jspecify.annotations.NullMarked;
