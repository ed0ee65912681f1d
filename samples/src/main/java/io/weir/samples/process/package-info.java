/** Further processes for programs that show what happens between processes. */
@NullMarked
package io.weir.samples.process;

import org.jspecify.annotations.NullMarked;
