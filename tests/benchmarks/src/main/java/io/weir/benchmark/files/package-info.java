/** Programs that send a file: over Weir, and over a plain socket. */
@NullMarked
package io.weir.benchmark.files;

import org.jspecify.annotations.NullMarked;
