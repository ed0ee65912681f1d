/**
 * Nodes and the channels between them: how a process appears on the network ({@link io.weir.config.NodeSpec}) and
 * which path was chosen to each peer, and why ({@link io.weir.path.PathDecision}).
 */
@NullMarked
package io.weir.channel;

import org.jspecify.annotations.NullMarked;
