/** A program that knows nothing but {@code java.rmi}, and what runs it over Weir. */
@NullMarked
package io.weir.benchmark.rmi;

import org.jspecify.annotations.NullMarked;
