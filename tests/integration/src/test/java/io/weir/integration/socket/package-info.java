/** Sockets of {@code java.net} and Java RMI over channels. */
@NullMarked
package io.weir.integration.socket;

import org.jspecify.annotations.NullMarked;
