package io.weir.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The application does not start because of its node; the node's error is the cause. Others' failures are described in
 * other ways.
 */
final class NotStarted extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotStarted(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
