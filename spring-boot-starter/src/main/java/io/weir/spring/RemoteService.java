package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * A bean whose interface other nodes may call. It is served and announced when the application has started, and
 * withdrawn before anything else of it stops.
 *
 * <p>Methods that yield a publisher or a {@code CompletionStage} run on the loop of the peer that calls and must not
 * block it; others run on threads of their own, virtual ones if {@code spring.threads.virtual.enabled} is set.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Component
public @interface RemoteService {

    /** See {@link #service()}. */
    @AliasFor("service")
    String value() default "";

    /** The name of the service; by default that of the interface, with its package. May have placeholders. */
    @AliasFor("value")
    String service() default "";

    /** The interface that is served; by default the only one that the bean's class implements. */
    Class<?> type() default void.class;

    /**
     * How many methods that return their value itself, or nothing, run at once; further ones fail at the caller, who
     * may repeat them.
     */
    int blockingCalls() default 256;

    /** Whether the first lines of an exception's stack are sent to the caller: good where all peers are friends. */
    boolean tellsStacks() default false;
}
