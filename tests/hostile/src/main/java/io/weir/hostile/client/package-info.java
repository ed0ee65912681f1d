/**
 * A client written from {@code docs/wire.md} alone, over plain sockets. It keeps every rule until it is asked to break
 * one. It uses nothing of Weir: what is missing here or wrong shows that the document is.
 */
@NullMarked
package io.weir.hostile.client;

import org.jspecify.annotations.NullMarked;
