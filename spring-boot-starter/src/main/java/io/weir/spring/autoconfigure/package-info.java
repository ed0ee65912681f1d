/** Weir's auto-configurations for Spring Boot, and the properties that they read. */
@NullMarked
package io.weir.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
