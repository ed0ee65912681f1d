package io.weir.service.remote;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long a call of this method may take, from its subscription to its end, with everything that is repeated and
 * waited for: for a stream, to its last item. Then the caller fails with {@link io.weir.core.TimedOut}, and what runs
 * at the server is cancelled.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Deadline {

    /** A number and its unit, {@code ms}, {@code s}, {@code m} or {@code h}: {@code "2s"}. */
    String value();
}
