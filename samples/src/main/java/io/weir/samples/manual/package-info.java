/** The programs that the manual quotes. What stands between {@code tag} and {@code end} is quoted to the letter. */
@NullMarked
package io.weir.samples.manual;

import org.jspecify.annotations.NullMarked;
