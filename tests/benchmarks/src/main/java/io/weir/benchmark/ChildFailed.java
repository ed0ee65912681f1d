package io.weir.benchmark;

/** A measured process could not do what it was asked to; the message says what it said. */
final class ChildFailed extends RuntimeException {

    ChildFailed(String message) {
        super(message);
    }
}
