/**
 * What a node is configured with: its settings, how they are read from properties, the environment and code, and what
 * they must keep to. {@link io.weir.config.NodeDefaults} has the numbers that a node starts with, each with its reason;
 * the defaults of switches stand with their types, those of a path with its adapter. Also finds the adapters.
 */
@NullMarked
package io.weir.config;

import org.jspecify.annotations.NullMarked;
