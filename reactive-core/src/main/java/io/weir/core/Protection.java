package io.weir.core;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a link keeps from others, and who its other end has proved to be.
 *
 * @param encrypted whether others than the two ends can neither read nor change what goes over it
 * @param principal the name in the certificate that the other end has proved to own; null if it has shown none
 * @param binding what both ends know of this very connection and no other connection has, as text, so that a further
 *     proof can be bound to it; empty where there is no such thing
 */
public record Protection(boolean encrypted, @Nullable String principal, String binding) {

    /** Nothing is kept from anybody who is on the way, and nobody has proved anything. */
    public static final Protection NONE = new Protection(false, null, "");

    public Protection {
        Objects.requireNonNull(binding, "binding");
    }
}
