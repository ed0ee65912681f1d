/**
 * What adapters share when they call native code: the C library, memory that is mapped and unmapped by hand, and
 * descriptors that are closed once. Nothing here is for users of Weir.
 */
@NullMarked
package io.weir.transport.nativelib;

import org.jspecify.annotations.NullMarked;
