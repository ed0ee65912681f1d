/**
 * For tests of programs that use Weir, whatever framework runs them: {@link io.weir.test.TestNodes} starts several
 * nodes in one JVM, and a {@link io.weir.test.FaultyRoute} between two of them delays, cuts or resets what goes through
 * it.
 */
@NullMarked
package io.weir.test;

import org.jspecify.annotations.NullMarked;
