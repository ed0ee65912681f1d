package io.weir.service.remote;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An interface whose objects stay where they are: where one is passed or returned, the other side gets a proxy that
 * calls back over the same connection. An object that comes back to its owner is the object itself again.
 *
 * <p><b>Where.</b> A parameter, a result, an item of a stream; not within a record or a list, and without type
 * parameters.
 *
 * <p><b>For how long.</b> Until the connection ends, the proxy is garbage, or it is closed: every such proxy is an
 * {@link AutoCloseable}, unless the interface has a {@code close()} of its own. What is called later fails with
 * {@link io.weir.core.Refused}. Each side keeps at most 4096 objects for one connection, and fails the call that would
 * pass one more with {@link io.weir.core.Overloaded}.
 *
 * <p><b>Who may call.</b> Only the peer that the object was passed to.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Remote {}
