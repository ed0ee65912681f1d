/**
 * Measures Weir beside its peers: pairs of processes take turns, and what they reach is related to a ring in shared
 * memory that was measured just before.
 */
@NullMarked
package io.weir.benchmark;

import org.jspecify.annotations.NullMarked;
