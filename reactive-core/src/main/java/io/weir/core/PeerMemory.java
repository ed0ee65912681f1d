package io.weir.core;

/**
 * Marks a buffer in memory that the other side of a link has made. All of that memory stays mapped until the last such
 * buffer is released, also when the link has ended and the other process has gone. A program that keeps a message for
 * long copies it.
 */
public interface PeerMemory {}
