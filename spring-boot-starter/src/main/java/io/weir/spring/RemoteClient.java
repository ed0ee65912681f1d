package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * An interface that other nodes serve, and that the application calls: there is a bean of its type. It is found in the
 * packages that Boot looks through, those below the application's class.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RemoteClient {

    /** See {@link #peer()}. */
    @AliasFor("peer")
    String value() default "";

    /**
     * Which peer is called, by its name in {@code weir.peers}. Without one, any instance that the directory knows.
     */
    @AliasFor("value")
    String peer() default "";

    /**
     * The name of the service; by default that of the peer's settings, else that of the interface, with its package.
     */
    String service() default "";
}
