package io.weir.flow;

import java.math.BigInteger;

/**
 * What a {@link Window} should do, said in another way: from the sums of everything that ever happened, without
 * overflow.
 */
final class NaiveWindow {

    private static final BigInteger UNBOUNDED = BigInteger.valueOf(Long.MAX_VALUE);

    private final long maxItems;
    private final long maxBytes;
    private BigInteger requested = BigInteger.ZERO;
    private BigInteger itemsGranted;
    private BigInteger bytesGranted;
    private BigInteger bytesArrived = BigInteger.ZERO;
    private BigInteger bytesFreed = BigInteger.ZERO;
    private long arrivals;
    private long deliveries;
    private boolean unbounded;
    private long prefetch;
    private long wanted;
    private long limit;

    NaiveWindow(long maxItems, long maxBytes, long initialItems) {
        this.maxItems = maxItems;
        this.maxBytes = maxBytes;
        this.limit = maxBytes;
        itemsGranted = BigInteger.valueOf(initialItems);
        bytesGranted = BigInteger.valueOf(maxBytes);
    }

    void request(long n) {
        requested = plus(requested, n);
        unbounded |= openDemand().compareTo(UNBOUNDED) >= 0;
    }

    void prefetch(long n) {
        prefetch = n;
    }

    void arrived(long bytes) {
        arrivals++;
        bytesArrived = plus(bytesArrived, bytes);
    }

    void delivered() {
        deliveries++;
    }

    void freed(long bytes) {
        bytesFreed = plus(bytesFreed, bytes);
        limit = Math.max(maxBytes, limit - bytes);
    }

    void want(long bytes) {
        wanted = bytes;
    }

    BigInteger demand() {
        return unbounded ? UNBOUNDED : openDemand();
    }

    long outstanding() {
        return itemsGranted.subtract(BigInteger.valueOf(arrivals)).longValueExact();
    }

    long buffered() {
        return arrivals - deliveries;
    }

    long granted() {
        return bytesGranted.subtract(bytesArrived).longValueExact();
    }

    long held() {
        return bytesArrived.subtract(bytesFreed).longValueExact();
    }

    /** The bytes that there are in all: the window, or one message that exceeds it. */
    long limit() {
        return limit;
    }

    /** Up to the demand and the window, but only when the sender has at most half of that. */
    long itemsToGrant() {
        long may = plus(demand(), prefetch)
                .min(BigInteger.valueOf(maxItems))
                .subtract(BigInteger.valueOf(buffered()))
                .longValueExact();
        long grant = 2 * outstanding() <= may ? may - outstanding() : 0;
        itemsGranted = plus(itemsGranted, grant);
        return grant;
    }

    long bytesToGrant() {
        if (held() == 0) {
            limit = Math.max(limit, wanted);
        }
        long all = limit - held();
        long grant = all - granted();
        boolean quarter = 4 * grant >= maxBytes - maxBytes % 4;
        boolean enoughAtLast = granted() < wanted && wanted <= all;
        if (grant == 0 || !(quarter || enoughAtLast)) {
            return 0;
        }
        bytesGranted = plus(bytesGranted, grant);
        if (all >= wanted) {
            wanted = 0;
        }
        return grant;
    }

    private BigInteger openDemand() {
        return requested.subtract(BigInteger.valueOf(deliveries));
    }

    private static BigInteger plus(BigInteger sum, long more) {
        return sum.add(BigInteger.valueOf(more));
    }
}
