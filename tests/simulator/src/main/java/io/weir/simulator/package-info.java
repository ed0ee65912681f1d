/**
 * Real nodes in a simulated world: loops, links, the network and time belong to one thread and one seed. A schedule
 * starts a few nodes, lets them talk, disturbs them, and compares what their users see with what they were promised.
 */
@NullMarked
package io.weir.simulator;

import org.jspecify.annotations.NullMarked;
