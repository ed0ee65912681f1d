/**
 * Nodes and the channels between them, requests and mailboxes on these, and what is measured of all this. How a process
 * appears on the network is said with a {@link io.weir.config.NodeSpec}; which path was chosen to each peer, and why,
 * stands in a {@link io.weir.peer.PathDecision}.
 *
 * <p>Inside: {@code Handshake} meets a peer, {@code Session} is what there is with it, and its method {@code frame} is
 * where all that comes from it enters; {@code Inbound} and {@code Outbound} are the halves of a channel, with their
 * credit.
 */
@NullMarked
package io.weir.channel;

import org.jspecify.annotations.NullMarked;
