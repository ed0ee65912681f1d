package io.weir.simulator;

import io.weir.channel.Mailbox;
import io.weir.channel.Match;
import io.weir.channel.Received;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** The mailbox of one node, and those who read it as they like. */
final class Letterbox {

    static final String PORT = "letters";
    static final String NUMBER = "letter";
    static final String URGENT = "urgent";

    /** What each sender may have, also beyond the bound of a mailbox, unless that is less. */
    private static final int LEAST = 64;

    /**
     * How a mailbox is read.
     *
     * @param byKind one reader for what is urgent, another one for the rest; else one for everything
     * @param batch how many letters a reader asks for at once; 0: for all
     * @param pause until it asks again at most
     * @param patience after so many letters somebody else goes on reading; 0: never
     * @param enough after so many letters, nobody wants any more: then there is another mailbox, or for a while none;
     *     0: never
     */
    record Habits(boolean byKind, int batch, Duration pause, int patience, int enough) {

        static Habits of(SplittableRandom chance) {
            return new Habits(
                    chance.nextInt(3) == 0,
                    chance.nextInt(3) == 0 ? 0 : chance.nextInt(1, 10),
                    chance.nextInt(8) == 0 ? Duration.ofMillis(500) : Duration.ofMillis(1),
                    chance.nextInt(3) > 0 ? 0 : chance.nextInt(1, 20),
                    chance.nextInt(5) > 0 ? 0 : chance.nextInt(1, 20));
        }
    }

    private final Simulation simulation;
    private final Incarnation owner;
    private final Habits habits;
    private final List<Letter> known;
    private final long bound;
    private Mailbox mailbox;
    private int read;

    Letterbox(Simulation simulation, Incarnation owner, Habits habits, List<Letter> known) {
        this.simulation = simulation;
        this.owner = owner;
        this.habits = habits;
        this.known = known;
        this.mailbox = owner.node().mailbox(PORT);
        long senders = known.stream()
                .map(Letter::of)
                .distinct()
                .filter(each -> each.isTo(owner.host()))
                .count();
        int items = owner.host().spec().mailboxItems();
        this.bound = items + Math.min(items, LEAST) * senders;
    }

    /** The port is served already. */
    void open() {
        if (habits.byKind()) {
            read(true);
            read(false);
        } else {
            read(null);
        }
    }

    private void read(@Nullable Boolean urgent) {
        Flux<Received> letters =
                urgent == null ? mailbox : mailbox.matching(Match.control(URGENT, Boolean.toString(urgent)));
        letters.subscribe(new Reader(urgent));
    }

    private void readSoon(@Nullable Boolean urgent) {
        simulation.act(owner, Duration.ofMillis(20).toNanos() + simulation.upTo(habits.pause()), () -> {
            if (!mailbox.isDisposed()) {
                read(urgent);
            }
        });
    }

    /** What waits is released, who awaits an answer is refused, and so is who sends until there is another one. */
    private void close() {
        simulation.trace(() -> "the mailbox of " + owner + " is closed");
        known.stream()
                .map(Letter::of)
                .distinct()
                .filter(each -> each.isTo(owner.host()))
                .forEach(Letters::mailboxCloses);
        mailbox.dispose();
        simulation.act(owner, simulation.oneIn(2) ? 0 : simulation.upTo(Duration.ofMillis(5)), () -> {
            if (owner.isThere()) {
                mailbox = owner.node().mailbox(PORT);
                open();
            }
        });
    }

    /** One after the other. */
    private final class Reader implements CoreSubscriber<Received> {

        private final @Nullable Boolean urgent;
        private @Nullable Subscription subscription;
        private long demand;
        private long had;
        private boolean over;

        Reader(@Nullable Boolean urgent) {
            this.urgent = urgent;
        }

        @Override
        public void onSubscribe(Subscription its) {
            subscription = its;
            ask();
        }

        private void ask() {
            long more = habits.batch() == 0 ? Long.MAX_VALUE : habits.batch();
            demand = more == Long.MAX_VALUE ? more : demand + more;
            Objects.requireNonNull(subscription).request(more);
        }

        @Override
        public void onNext(Received received) {
            Letter letter = known.get(Integer.parseInt(
                    Objects.requireNonNull(received.message().control().get(NUMBER))));
            if (over || had >= demand) {
                violated("is given " + letter + (over ? " after its end" : ", for which it has not asked"));
            }
            if (urgent != null && urgent != letter.isUrgent()) {
                violated("is given " + letter + ", which it does not want");
            }
            if (mailbox.size() > bound) {
                violated("finds " + mailbox.size() + " letters, though " + bound + " are the most");
            }
            letter.of().checkOrder(letter, habits.byKind());
            letter.read(owner, received);
            had++;
            read++;
            if (read == habits.enough()) {
                close();
            } else if (had == habits.patience()) {
                over = true;
                Objects.requireNonNull(subscription).cancel();
                readSoon(urgent);
            } else if (had == demand) {
                simulation.act(owner, simulation.upTo(habits.pause()), () -> {
                    if (!over) {
                        ask();
                    }
                });
            }
        }

        @Override
        public void onError(Throwable reason) {
            simulation.violated("a reader at " + owner + " has failed", reason);
        }

        @Override
        public void onComplete() {
            if (over || (owner.isThere() && !mailbox.isDisposed())) {
                violated("is told the end");
            }
            over = true;
        }

        private void violated(String what) {
            simulation.violated("a reader at " + owner + ' ' + what);
        }
    }
}
