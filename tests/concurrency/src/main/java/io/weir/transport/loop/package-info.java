/** Races between a loop and those who bring it tasks. */
@NullMarked
package io.weir.transport.loop;

import org.jspecify.annotations.NullMarked;
