package io.weir.spring;

import io.weir.service.remote.ExportOptions;

/**
 * Changes how the application's {@link RemoteService remote services} are exported. Beans of this type are called in
 * their order.
 */
@FunctionalInterface
public interface ExportOptionsCustomizer {

    /** The options for this service, made from those that it would have. */
    ExportOptions customize(String service, ExportOptions options);
}
