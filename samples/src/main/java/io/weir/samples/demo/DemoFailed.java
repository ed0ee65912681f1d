package io.weir.samples.demo;

/** The demonstration can't go on; the message says why, to whoever runs it. */
final class DemoFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoFailed(String message) {
        super(message);
    }

    DemoFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
