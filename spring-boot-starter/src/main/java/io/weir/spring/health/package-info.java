/** The health of an application's peers. */
@NullMarked
package io.weir.spring.health;

import org.jspecify.annotations.NullMarked;
