package io.weir.integration.channel;

import org.reactivestreams.Subscription;

/** The subscription of a publisher that does not listen. */
final class Idle implements Subscription {

    @Override
    public void request(long n) {
        // It emits when it likes.
    }

    @Override
    public void cancel() {
        // Nor does it stop.
    }
}
