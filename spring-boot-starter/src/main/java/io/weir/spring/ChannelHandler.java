package io.weir.spring;

import io.weir.channel.Channel;
import org.reactivestreams.Publisher;

/**
 * Serves the channels that peers open to a port. A bean of this type serves the port that {@link ServedPort} names,
 * else the one of its bean name, as a service of that name.
 *
 * <pre>{@code
 * @Bean
 * @ServedPort("upper")
 * ChannelHandler upper() {
 *     return channel -> channel.send(channel.receive(TEXT).map(String::toUpperCase), TEXT);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ChannelHandler {

    /**
     * Serves one channel, which is ended when the publisher completes. On the loop of the peer, which must not be
     * blocked, unless {@link ServedPort#blocking()} says otherwise.
     */
    Publisher<Void> handle(Channel channel);
}
