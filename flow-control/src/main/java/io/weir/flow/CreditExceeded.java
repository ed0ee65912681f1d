package io.weir.flow;

/**
 * A sender has sent more than it was granted: it breaks the protocol, and nothing it sends can be trusted to be
 * bounded.
 */
public final class CreditExceeded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CreditExceeded(long messageBytes, long items, long bytes) {
        super("a message of " + messageBytes + " bytes came with only " + items + " items and " + bytes
                + " bytes of credit left");
    }
}
