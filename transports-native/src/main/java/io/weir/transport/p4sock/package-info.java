/**
 * The path {@code p4sock}: messages directly on Ethernet, without IP and TCP, in the frames of ParaStation's protocol
 * family of the same name, which was a module of the kernel once. Here a packet socket takes its place, shared by all
 * links of a loop over one network interface.
 *
 * <p>{@link io.weir.transport.p4sock.Connection} keeps the protocol and knows no socket;
 * {@link io.weir.transport.p4sock.EtherPort} has the socket and knows no protocol but where an index stands.
 */
@NullMarked
package io.weir.transport.p4sock;

import org.jspecify.annotations.NullMarked;
