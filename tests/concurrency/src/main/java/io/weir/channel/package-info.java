/** Races between a channel's loop and its users on other threads. */
@NullMarked
package io.weir.channel;

import org.jspecify.annotations.NullMarked;
