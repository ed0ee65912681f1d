package io.weir.benchmark.contender;

import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;

/** The client's end of an exchange of calls: makes its orders and takes their quotes. For one thread at a time. */
final class Conversation {

    private final Cell cell;
    private final Meter meter;
    private final Pinning pinning;
    private long sent;
    private boolean pinned;

    Conversation(Cell cell, Meter meter, Pinning pinning) {
        this.cell = cell;
        this.meter = meter;
        this.pinning = pinning;
    }

    Order next() {
        return Order.of(sent++);
    }

    /**
     * Takes notice of the quote for this order.
     *
     * @return whether to call again
     */
    boolean answered(Order order, Quote quote) {
        if (!quote.equals(order.quote())) {
            throw new IllegalStateException(order + " got " + quote);
        }
        return answered(order.number());
    }

    /**
     * Takes notice of the answer to the call with this number.
     *
     * @return whether to call again
     */
    boolean answered(long number) {
        if (!pinned) {
            pinned = true;
            pinning.pinHere();
        }
        return cell.scenario() == Scenario.CALLS ? meter.answered() : meter.roundTrip(number);
    }
}
