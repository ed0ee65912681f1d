/**
 * Nodes that join two networks: whom they connect to, and by which way. Needs the directory only.
 */
@NullMarked
package io.weir.service.gateway;

import org.jspecify.annotations.NullMarked;
