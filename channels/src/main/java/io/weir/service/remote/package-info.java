/**
 * Java interfaces called over channels: contracts, codecs of calls, proxies, exported objects, references to them.
 * Needs nothing of the other rooms.
 */
@NullMarked
package io.weir.service.remote;

import org.jspecify.annotations.NullMarked;
