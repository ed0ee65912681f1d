/**
 * What Spring applications write against: annotations for services and their callers, customizers of the node, the
 * peers by their names, and the directory of Spring Cloud.
 */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
