package io.weir.core;

import reactor.core.publisher.Mono;

/** Our half of a link that is being agreed on. Belongs to the loop of its {@link LinkRequest}. */
public interface PendingLink {

    /** What the other side's half needs to know, at most 4096 bytes. The same at every call. */
    byte[] offer();

    /**
     * Joins both halves. Completes on the loop when our side could take frames from the peer; does not wait for any.
     * Fails with a {@link WeirException} that says why; whatever was taken is given back then.
     *
     * @param theirs the other side's offer: hostile until checked
     */
    Mono<Link> complete(byte[] theirs);

    /** Gives everything back if the link was not completed, also while it is being completed. Idempotent. */
    void close();
}
