package io.weir.channel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How many may come in a second. Those from one place may use up all of it, but not what is there beyond: half as much
 * for those that don't come from where many come, and as much again for those of them that have proved something. Not
 * thread-safe.
 *
 * <p>A place from which more come than a quarter of the rate is such a place, whether they are let in or not, until
 * they stop for a second.
 */
final class HandshakeRate {

    /** Places that are remembered: those of whom somebody has come last. */
    static final int PLACES = 4096;

    private static final long SECOND = 1_000_000_000;

    private final LongSupplier nanos;
    private final int share;
    private final Tokens all;
    private final Tokens few;
    private final Tokens proved;
    private final Map<Origin, Tokens> places = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Origin, Tokens> eldest) {
            return size() > PLACES;
        }
    };

    HandshakeRate(int rate, LongSupplier nanos) {
        this.nanos = nanos;
        this.share = (rate + 3) / 4;
        this.all = new Tokens(rate);
        this.few = new Tokens(rate / 2);
        this.proved = new Tokens(rate / 2);
    }

    /** Whether one more may come in. */
    boolean counts(Origin origin, boolean hasProved) {
        boolean alone = places.computeIfAbsent(origin, any -> new Tokens(share)).takesOrOwes();
        return all.takes() || (alone && (few.takes() || (hasProved && proved.takes())));
    }

    int places() {
        return places.size();
    }

    /** So many in a second, which may come at once. */
    private final class Tokens {

        private final long rate;
        /** In units of one by a second. */
        private long credit;

        private long counted = nanos.getAsLong();

        Tokens(int rate) {
            this.rate = rate;
            this.credit = rate * SECOND;
        }

        boolean takes() {
            refill();
            if (credit < SECOND) {
                return false;
            }
            credit -= SECOND;
            return true;
        }

        /** Who has none left owes up to a second of them. */
        boolean takesOrOwes() {
            refill();
            boolean had = credit >= SECOND;
            credit = Math.max(credit - SECOND, -rate * SECOND);
            return had;
        }

        private void refill() {
            long now = nanos.getAsLong();
            // Who owes needs two seconds to have all of them again.
            long passed = Math.min(now - counted, 2 * SECOND);
            counted = now;
            credit = Math.min(credit + passed * rate, rate * SECOND);
        }
    }
}
