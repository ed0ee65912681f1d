/** Two Spring Boot applications, orders and prices, each in a process of its own, and who drives them. */
@NullMarked
package io.weir.samples.shop;

import org.jspecify.annotations.NullMarked;
