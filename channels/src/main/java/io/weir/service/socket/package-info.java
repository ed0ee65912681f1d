/** {@code java.net} sockets, and Java RMI, over channels. */
@NullMarked
package io.weir.service.socket;

import org.jspecify.annotations.NullMarked;
