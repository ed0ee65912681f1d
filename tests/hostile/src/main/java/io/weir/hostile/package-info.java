/** Who is attacked, and who must not notice: programs on the public face of Weir, each a process of its own. */
@NullMarked
package io.weir.hostile;

import org.jspecify.annotations.NullMarked;
