package io.weir.channel;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one peer brings into a mailbox, over all its channels to it. */
final class MailboxSender {

    /** Messages that come in before others have their turn. */
    private static final int AT_ONCE = 64;

    private final MailboxPlaces places;
    private final Session session;
    final MailboxPlaces.Owner owner;

    // Of the loop.
    /** Channels on which something has come for which there was no place. */
    private final Set<MailboxFeed> waiting = new LinkedHashSet<>();

    private boolean goesOn;

    // Guarded by the places.
    int channels;
    int messages;
    long bytes;
    /** There was no memory for what has come last. */
    boolean scarce;
    /** It may have places. */
    boolean admitted;

    // Of whoever delivers.
    private @Nullable MailboxSender former;
    private long turn;

    /** @param former who has left messages there that come before its own */
    MailboxSender(MailboxPlaces places, MailboxPlaces.Owner owner, Session session, @Nullable MailboxSender former) {
        this.places = places;
        this.owner = owner;
        this.session = session;
        this.former = former;
    }

    /** Which turn the next message has, if this one is now: each has one message in a turn. */
    long nextTurn(long now) {
        long last = turn;
        if (former != null) {
            last = former.turn;
            former = null;
        }
        turn = Math.max(now, last + 1);
        return turn;
    }

    Session session() {
        return session;
    }

    /**
     * Bytes that peers of its identity may have left here, if it is to have places: so that whoever comes from there
     * finds memory.
     */
    long mostLeft() {
        return Math.min(session.windowBytes(), session.memory().total() / 8);
    }

    /** Whether a message that has come on this channel may be taken in. If not, the channel has its turn later. */
    boolean mayTake(MailboxFeed feed) {
        boolean may = waiting.isEmpty() && places.hasPlaceFor(this);
        if (!may) {
            waiting.add(feed);
        }
        return may;
    }

    /** What waits on this channel may be taken in as well. */
    void offer(MailboxFeed feed) {
        if (waiting.add(feed)) {
            goOnLater();
        }
    }

    void closed(MailboxFeed feed) {
        waiting.remove(feed);
        places.closed(this);
    }

    /** There is a place again. Any thread. */
    void goOn() {
        session.execute(this::goOnLater);
    }

    private void goOnLater() {
        if (!goesOn) {
            goesOn = true;
            session.nextTurn(this::takeIn);
        }
    }

    /** One message of each channel after the other. */
    private void takeIn() {
        goesOn = false;
        for (int count = 0; count < AT_ONCE; count++) {
            Iterator<MailboxFeed> first = waiting.iterator();
            if (!first.hasNext() || !places.hasPlaceFor(this)) {
                return;
            }
            MailboxFeed next = first.next();
            first.remove();
            if (next.takeIn()) {
                waiting.add(next);
            }
        }
        goOnLater();
    }
}
