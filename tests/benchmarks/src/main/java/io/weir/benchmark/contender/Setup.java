package io.weir.benchmark.contender;

import java.nio.file.Path;

/**
 * What a contender is told beside the cell.
 *
 * @param variant which of its configurations to use; empty for its only one
 * @param folder where it may leave files while it runs; the runner removes it
 */
record Setup(String variant, Pinning pinning, Path folder) {}
