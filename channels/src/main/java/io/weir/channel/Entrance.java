package io.weir.channel;

import io.weir.config.Requirement;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.Overloaded;
import io.weir.core.WeirException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/** Lets those wait who connect before the node is open. Any thread. */
final class Entrance {

    private record Guest(Link link, Requirement required, Loop loop) {}

    private final int room;
    private final BiConsumer<Link, Requirement> admitting;
    private final BiConsumer<Link, WeirException> turningAway;
    private final List<Guest> waiting = new ArrayList<>();
    private volatile boolean open;

    /**
     * Closed so far.
     *
     * @param room how many may wait: as many as may be on their way to become sessions
     * @param admitting lets somebody in, on the loop of the connection
     * @param turningAway sends somebody away, on the loop of the connection
     */
    Entrance(int room, BiConsumer<Link, Requirement> admitting, BiConsumer<Link, WeirException> turningAway) {
        this.room = room;
        this.admitting = admitting;
        this.turningAway = turningAway;
    }

    /** Somebody has connected. On the loop. */
    void came(Link link, Requirement required, Loop loop) {
        if (open || !waits(new Guest(link, required, loop))) {
            admitting.accept(link, required);
        }
    }

    private boolean waits(Guest guest) {
        synchronized (waiting) {
            if (open) {
                return false;
            }
            if (waiting.size() < room) {
                waiting.add(guest);
                return true;
            }
        }
        turningAway.accept(
                guest.link(), new Overloaded("this node is not open yet, and " + room + " connections wait for it"));
        return true;
    }

    /** From now on nobody waits. Idempotent. */
    void open() {
        List<Guest> all;
        synchronized (waiting) {
            open = true;
            all = List.copyOf(waiting);
            waiting.clear();
        }
        all.forEach(this::admit);
    }

    private void admit(Guest guest) {
        try {
            guest.loop().execute(() -> admitting.accept(guest.link(), guest.required()));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and its connections with it.
        }
    }
}
