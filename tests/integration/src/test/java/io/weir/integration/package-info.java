/**
 * What tests of several kinds need: pairs of nodes over every path, other processes, strangers' clients, relays that do
 * harm, payloads that are known to both sides. The tests themselves lie in a package for each part of the product.
 */
@NullMarked
package io.weir.integration;

import org.jspecify.annotations.NullMarked;
