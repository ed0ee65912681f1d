/** The endpoint that shows a node and explains its paths, and the page over it. */
@NullMarked
package io.weir.spring.endpoint;

import org.jspecify.annotations.NullMarked;
