package io.weir.spring.autoconfigure;

/**
 * Reactor Netty up to 1.3.8 may stop reading from a connection that its client uses again: when a request has come before
 * the end of the one before it was seen, nothing asks for the next (reactor-netty issue 4361). On a busy machine with one
 * processor every second client met that, and waited for ever.
 */
final class OneRequest {

    /** A reactive server ends a connection with its first answer. */
    static final String PER_CONNECTION = "--server.netty.max-keep-alive-requests=1";

    private OneRequest() {}
}
