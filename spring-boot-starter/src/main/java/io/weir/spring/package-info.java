/** Weir in Spring applications. */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
