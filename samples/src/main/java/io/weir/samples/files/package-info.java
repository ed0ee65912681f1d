/** Files of another process: list, read, write, without a copy that is not needed. */
@NullMarked
package io.weir.samples.files;

import org.jspecify.annotations.NullMarked;
