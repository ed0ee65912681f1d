package io.weir.spring;

import io.weir.config.NodeSpec;

/**
 * Changes the configuration of the application's node beyond its properties. Beans of this type are called in their
 * order.
 */
@FunctionalInterface
public interface NodeSpecCustomizer {

    /** What was read from the properties, with changes. On the thread that starts the application. */
    NodeSpec.Builder customize(NodeSpec.Builder spec);
}
