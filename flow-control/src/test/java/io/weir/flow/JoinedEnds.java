package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A sender and a receiver of one half of a channel, joined by two pipes in which things wait as long as chance wants.
 * Holds every rule after every step, and that the window does what the naive one does.
 */
final class JoinedEnds {

    private record Grant(long items, long bytes) {}

    /** What travels to the receiver: a message, or the want of one. */
    private record Sent(long bytes, boolean want) {}

    private final Random random;
    private final long maxItems;
    private final long maxBytes;
    private final Window window;
    private final NaiveWindow naive;
    private final Credits credits;

    private final ArrayDeque<Long> source = new ArrayDeque<>();
    private final ArrayDeque<Sent> outward = new ArrayDeque<>();
    private final ArrayDeque<Grant> homeward = new ArrayDeque<>();
    private final ArrayDeque<Long> buffer = new ArrayDeque<>();
    private final List<Long> heldByUser = new ArrayList<>();

    private final int total;
    private final long longest;
    private boolean wanting;
    private long requested;
    private long delivered;
    private long moves;

    JoinedEnds(Random random) {
        this.random = random;
        this.maxItems = upTo(random.nextBoolean() ? 4 : 200);
        this.maxBytes = upTo(random.nextBoolean() ? 8 : 5000);
        long initialItems = random.nextInt((int) maxItems + 1);
        this.total = random.nextInt(300);
        long bound = 0;
        long scale = random.nextBoolean() ? maxBytes : 3 * maxBytes;
        for (int i = 0; i < total; i++) {
            long bytes = random.nextInt(4) == 0 ? 0 : random.nextLong(scale + 1) >> random.nextInt(4);
            source.add(bytes);
            bound = Math.max(bound, bytes);
        }
        this.longest = bound;
        this.window = new Window(maxItems, maxBytes, initialItems);
        this.naive = new NaiveWindow(maxItems, maxBytes, initialItems);
        this.credits = new Credits(initialItems, maxBytes);
        if (random.nextInt(3) == 0) {
            long prefetch = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(20);
            window.prefetch(prefetch);
            naive.prefetch(prefetch);
        }
    }

    void run() {
        int steps = random.nextInt(4000);
        for (int i = 0; i < steps; i++) {
            anyStep();
            checkRules();
        }
        drain();
        checkThatEverythingIsBack();
    }

    private void anyStep() {
        switch (random.nextInt(8)) {
            case 0 -> send();
            case 1, 2 -> arrive();
            case 3 -> returnCredit();
            case 4 -> request(random.nextInt(50) == 0 ? 1L << (33 + random.nextInt(30)) : upTo(20));
            case 5 -> deliver();
            case 6 -> free();
            default -> grant();
        }
    }

    /**
     * From some moment on, the user asks for the rest and frees whatever he gets; then nothing may ever stand still.
     */
    private void drain() {
        if (requested < total) {
            request(random.nextBoolean() ? total - requested : Long.MAX_VALUE);
        }
        long before;
        do {
            before = moves;
            send();
            arrive();
            deliver();
            free();
            grant();
            returnCredit();
            checkRules();
        } while (moves > before);
    }

    private void send() {
        Long next = source.peek();
        if (next == null) {
            return;
        }
        if (credits.tryTake(next)) {
            source.remove();
            wanting = false;
            outward.add(new Sent(next, false));
            moves++;
        } else if (credits.items() > 0 && !wanting) {
            wanting = true;
            outward.add(new Sent(next, true));
            moves++;
        }
    }

    private void arrive() {
        Sent sent = outward.poll();
        if (sent == null) {
            return;
        }
        if (sent.want) {
            window.want(sent.bytes);
            naive.want(sent.bytes);
        } else {
            window.arrived(sent.bytes);
            naive.arrived(sent.bytes);
            buffer.add(sent.bytes);
        }
        moves++;
    }

    private void request(long n) {
        window.request(n);
        naive.request(n);
        requested = n > Long.MAX_VALUE - requested ? Long.MAX_VALUE : requested + n;
    }

    private void deliver() {
        if (buffer.isEmpty() || !window.mayDeliver()) {
            return;
        }
        window.delivered();
        naive.delivered();
        delivered++;
        heldByUser.add(buffer.remove());
        moves++;
    }

    private void free() {
        if (heldByUser.isEmpty()) {
            return;
        }
        long bytes = heldByUser.remove(random.nextInt(heldByUser.size()));
        window.freed(bytes);
        naive.freed(bytes);
        moves++;
    }

    private void grant() {
        long items = window.itemsToGrant();
        long bytes = window.bytesToGrant();
        assertThat(items).as("items to grant: %s", window).isEqualTo(naive.itemsToGrant());
        assertThat(bytes).as("bytes to grant: %s", window).isEqualTo(naive.bytesToGrant());
        if (items > 0 || bytes > 0) {
            homeward.add(new Grant(items, bytes));
            moves++;
        }
    }

    private void returnCredit() {
        Grant grant = homeward.poll();
        if (grant == null) {
            return;
        }
        credits.grant(grant.items, grant.bytes);
        moves++;
    }

    private void checkRules() {
        assertThat(delivered).as("delivered within the demand").isLessThanOrEqualTo(requested);
        assertThat(window.demand()).isEqualTo(naive.demand().longValueExact());
        assertThat(window.buffered()).isEqualTo(naive.buffered()).isEqualTo(buffer.size());
        assertThat(window.outstanding()).isEqualTo(naive.outstanding()).isEqualTo(itemsElsewhere());
        assertThat(window.outstanding() + window.buffered()).isLessThanOrEqualTo(maxItems);
        assertThat(window.granted()).isEqualTo(naive.granted()).isEqualTo(bytesElsewhere());
        assertThat(window.held()).isEqualTo(naive.held()).isEqualTo(sum(buffer) + sum(heldByUser));
        assertThat(maxBytes + window.lent()).isEqualTo(naive.limit());
        assertThat(window.granted() + window.held()).as("bounded: %s", window).isLessThanOrEqualTo(naive.limit());
        assertThat(naive.limit()).isLessThanOrEqualTo(Math.max(maxBytes, longest));
    }

    private void checkThatEverythingIsBack() {
        assertThat(delivered)
                .as("deadlock: %s %s, left: %s", window, credits, source)
                .isEqualTo(total);
        assertThat(window.held()).isZero();
        assertThat(window.lent()).as("paid back").isZero();
        assertThat(credits.items()).as("%s %s", window, credits).isEqualTo(window.outstanding());
        assertThat(credits.bytes()).isEqualTo(window.granted()).isGreaterThan(maxBytes - Math.max(1, maxBytes / 4));
    }

    private long itemsElsewhere() {
        long messages = outward.stream().filter(sent -> !sent.want).count();
        return credits.items()
                + messages
                + homeward.stream().mapToLong(Grant::items).sum();
    }

    private long bytesElsewhere() {
        return credits.bytes()
                + outward.stream()
                        .filter(sent -> !sent.want)
                        .mapToLong(Sent::bytes)
                        .sum()
                + homeward.stream().mapToLong(Grant::bytes).sum();
    }

    private static long sum(Iterable<Long> values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    private long upTo(int most) {
        return 1L + random.nextInt(most);
    }
}
