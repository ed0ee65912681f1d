package io.weir.benchmark.contender;

import java.nio.file.Path;

/**
 * What a contender is told beside the cell.
 *
 * @param variant which of its configurations to use; empty for its only one
 * @param listen where to listen, if others are to reach it from another host; empty for the loopback
 * @param folder where it may leave files while it runs; the runner removes it
 */
record Setup(String variant, Pinning pinning, String listen, Path folder) {}
