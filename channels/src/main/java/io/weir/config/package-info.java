/**
 * What a node is configured with: its settings, how they are read from properties, the environment and code, and what
 * they must keep to.
 */
@NullMarked
package io.weir.config;

import org.jspecify.annotations.NullMarked;
