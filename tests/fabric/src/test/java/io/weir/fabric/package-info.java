/**
 * Runs the tests of {@code io.weir.fabric.guest} where there are RDMA devices, in a guest that {@code tests/fabric/run}
 * starts, and tells here what came of them.
 */
@NullMarked
package io.weir.fabric;

import org.jspecify.annotations.NullMarked;
