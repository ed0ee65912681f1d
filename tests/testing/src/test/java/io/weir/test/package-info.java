/** The test kit, tested as its users use it. */
@NullMarked
package io.weir.test;

import org.jspecify.annotations.NullMarked;
