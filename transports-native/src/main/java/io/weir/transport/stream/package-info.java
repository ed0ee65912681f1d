/**
 * Frames in a stream of bytes, as every path carries them that does not carry each one whole: how they are written, and
 * how they are read where the stream may be cut anywhere and nothing in it is trusted. And how offers begin that are
 * structures.
 */
@NullMarked
package io.weir.transport.stream;

import org.jspecify.annotations.NullMarked;
