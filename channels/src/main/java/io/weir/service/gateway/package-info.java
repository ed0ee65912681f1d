/**
 * Nodes that join two networks: whom they connect to, and by which way. Of the other packages of services it needs the
 * directory only.
 */
@NullMarked
package io.weir.service.gateway;

import org.jspecify.annotations.NullMarked;
