/** What runs in the measured processes: one child process is a server or a client of one way to move messages. */
@NullMarked
package io.weir.benchmark.contender;

import org.jspecify.annotations.NullMarked;
