package io.weir.service.remote;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * To call this method twice does no harm. So a call is repeated also if it may have been done and its outcome was lost;
 * other methods are called again only if nothing was sent. Has no effect on what takes a stream, and on a stream that
 * has yielded an item.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {}
