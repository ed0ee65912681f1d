package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Which port a {@link ChannelHandler} serves. On its class, or on the method that makes the bean. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ServedPort {

    /** The port, which is also the name of the service; by default the bean's name. May have placeholders. */
    String value() default "";

    /**
     * Whether the handler may block: then it is called on a thread of its own, virtual if
     * {@code spring.threads.virtual.enabled} is set.
     */
    boolean blocking() default false;
}
