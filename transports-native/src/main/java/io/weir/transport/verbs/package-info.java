/**
 * The path {@code verbs}: InfiniBand, and RoCE on Ethernet, through libibverbs. A device is opened once for all links
 * of the process that use it; each link has a reliable connection of its own, on which messages are sent into slots
 * that the other side has made ready, and long bodies are read out of the sender's memory.
 *
 * <p>Everything is freed in the reverse order by construction: connections and registered memory hold the device, and
 * the last to let go closes it.
 */
@NullMarked
package io.weir.transport.verbs;

import org.jspecify.annotations.NullMarked;
