/** Parts of one process, measured by JMH with the allocation per operation. */
@NullMarked
package io.weir.benchmark.jmh;

import org.jspecify.annotations.NullMarked;
