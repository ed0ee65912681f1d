package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which port of which peer is injected, as a {@link io.weir.service.ServiceClient} or a {@code Mono<Channel>}, each
 * subscription to which opens a channel.
 *
 * <pre>{@code
 * Ticker(@PeerPort(peer = "prices", port = "ticks") Mono<Channel> ticks) { … }
 * }</pre>
 */
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface PeerPort {

    /** The peer, by its name in {@code weir.peers}; empty: any instance that the directory knows. */
    String peer() default "";

    /** The port, which for instances in the directory is the name of the service. */
    String port();
}
