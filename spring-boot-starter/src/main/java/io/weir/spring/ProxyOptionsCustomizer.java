package io.weir.spring;

import io.weir.service.remote.ProxyOptions;

/**
 * Changes how remote interfaces are called, by {@link RemoteClient}, {@link ImportRemoteServices} and
 * {@link WeirPeer#client}. Beans of this type are called in their order.
 */
@FunctionalInterface
public interface ProxyOptionsCustomizer {

    /** The options for calling this interface, made from those that it would have. */
    ProxyOptions customize(Class<?> type, ProxyOptions options);
}
