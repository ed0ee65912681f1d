/**
 * What a node is configured with: its settings, how they are read from properties, the environment and code, and what
 * they must keep to. {@link io.weir.config.NodeDefaults} has every default, with its reason.
 */
@NullMarked
package io.weir.config;

import org.jspecify.annotations.NullMarked;
