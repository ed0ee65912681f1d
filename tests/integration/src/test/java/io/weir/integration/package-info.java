/**
 * Nodes, channels and paths as a user has them. The contract of a channel runs over every path; the rest is about
 * connecting, leaving, strangers on the port, and processes that die.
 */
@NullMarked
package io.weir.integration;

import org.jspecify.annotations.NullMarked;
