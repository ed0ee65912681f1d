/** The programs that stand in a row: a source, a gateway and a sink. */
@NullMarked
package io.weir.benchmark.gateway;

import org.jspecify.annotations.NullMarked;
