package io.weir.service;

import io.weir.channel.Node;
import io.weir.core.AuthenticationFailed;
import io.weir.core.ForeignText;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.remote.Callee;
import io.weir.service.remote.Callees;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The instances of one service: follows their whereabouts from the first call on, stays connected to a few of them, and
 * has a line of those that may be called. Everything but {@link #ready}, {@link #next} and {@link #dispose} belongs to
 * one thread.
 */
final class Roster implements Callees, Disposable {

    /**
     * Enough to spread calls and to lose some, few enough that a thousand clients do not all connect to a thousand
     * instances.
     */
    static final int MOST_CONNECTED = 8;

    /** More calls than this waiting mean that nobody limits how many are begun at once. */
    private static final int MOST_WAITING = 16 * 1024;

    private static final int MOST_TOLD = 8;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Node node;
    private final String service;
    private final Whereabouts whereabouts;
    private final ServiceOptions options;
    /** Never disposed: waiting calls must still learn that this is closed. */
    private final Scheduler.Worker thread = Schedulers.parallel().createWorker();

    private final Scheduler scheduler = Schedulers.fromExecutor(this::later);

    private final Map<Key, Contact> contacts = new LinkedHashMap<>();
    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private Disposable following = Disposables.disposed();
    private boolean begun;
    /** The whereabouts have said who is there, or have failed to. */
    private boolean known;

    private @Nullable Throwable directoryFailure;

    private volatile Line line = Line.EMPTY;
    private volatile boolean closed;

    private record Key(PeerId node, String port) {}

    /** Nothing happens before the first call. */
    Roster(Node node, String service, Whereabouts whereabouts, ServiceOptions options) {
        this.node = node;
        this.service = service;
        this.whereabouts = whereabouts;
        this.options = options;
    }

    @Override
    public @Nullable Callee ready() {
        return line.choose(options.balancer());
    }

    @Override
    public Mono<Callee> next() {
        return Mono.defer(() -> {
            Callee ready = ready();
            return ready != null ? Mono.just(ready) : Mono.create(this::await);
        });
    }

    private void await(MonoSink<Callee> sink) {
        Waiter waiter = new Waiter(sink);
        sink.onDispose(() -> later(() -> leave(waiter)));
        later(() -> join(waiter));
    }

    /** Runs this on the thread. Any thread. */
    void later(Runnable task) {
        var unused = thread.schedule(task);
    }

    /** Its thread, for what comes from elsewhere. */
    Scheduler scheduler() {
        return scheduler;
    }

    /** Runs this on the thread, not before this time has passed. */
    Disposable later(Runnable task, Duration delay) {
        return thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void join(Waiter waiter) {
        if (closed) {
            waiter.sink.error(over());
            return;
        }
        begin();
        if (waiter.over || serve(waiter)) {
            return;
        }
        if (waiters.size() >= MOST_WAITING) {
            waiter.sink.error(new Overloaded(waiters.size() + " calls wait for service '" + service
                    + "' already; limit how many are begun at once"));
        } else {
            waiters.add(waiter);
            if (oneTry()) {
                // A try has an end of its own; who answers for the whereabouts may have none.
                waiter.limit = known ? waiter.limit : later(() -> unknown(waiter), LONGEST_PAUSE);
                tryAtOnce();
            } else {
                waiter.limit = later(() -> tooLong(waiter), options.patience());
            }
            tellIfHopeless();
        }
    }

    /** Whether calls wait for no more than that. */
    private boolean oneTry() {
        return options.patience().isZero();
    }

    /** Does not keep a call that has one try waiting until the next one is due. */
    private void tryAtOnce() {
        for (Contact each : List.copyOf(contacts.values())) {
            if (hasRoom()) {
                each.tryAtOnce();
            }
        }
    }

    private void leave(Waiter waiter) {
        waiter.over = true;
        waiter.limit.dispose();
        waiters.remove(waiter);
    }

    private void begin() {
        if (!begun) {
            begun = true;
            following = whereabouts
                    .instances()
                    .subscribe(all -> later(() -> announced(all)), error -> later(() -> failed(error)));
        }
    }

    private void failed(Throwable reason) {
        directoryFailure = reason;
        known = true;
        tellIfHopeless();
    }

    /** Those that are there now, and no others. */
    private void announced(List<ServiceInstance> all) {
        if (closed) {
            return;
        }
        known = true;
        Map<Key, ServiceInstance> now = new LinkedHashMap<>();
        all.forEach(each -> now.put(new Key(each.node(), each.port()), each));
        contacts.entrySet().removeIf(entry -> {
            ServiceInstance its = now.get(entry.getKey());
            boolean over = its == null || Approach.differs(its, entry.getValue().instance());
            if (over) {
                entry.getValue().close();
            }
            return over;
        });
        now.forEach((key, its) -> contacts.computeIfAbsent(key, absent -> contact(its)));
        changed();
    }

    private Contact contact(ServiceInstance instance) {
        Duration half = options.patience().dividedBy(2);
        Duration longest = oneTry() || half.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : half;
        return new Contact(this, instance, new Approach(node, whereabouts, instance, options), longest);
    }

    /** Something is different with a contact. */
    void changed() {
        line = new Line(contacts.values().stream()
                .map(Contact::callee)
                .filter(Objects::nonNull)
                .toList());
        fill();
        for (Waiter each : List.copyOf(waiters)) {
            if (!serve(each)) {
                tellIfHopeless();
                return;
            }
            waiters.remove(each);
        }
    }

    /** Whether there was an instance for it, or it got the reason why not. */
    private boolean serve(Waiter waiter) {
        try {
            Callee ready = ready();
            if (ready != null) {
                waiter.sink.success(ready);
            }
            return ready != null;
        } catch (RuntimeException e) {
            waiter.sink.error(e);
            return true;
        }
    }

    boolean hasRoom() {
        return contacts.values().stream().filter(Contact::counts).count() < MOST_CONNECTED;
    }

    /** Each client prefers others, so that all instances get their share. */
    private void fill() {
        if (!hasRoom()) {
            return;
        }
        List<Contact> idle = contacts.values().stream()
                .filter(Contact::isIdle)
                .sorted(Comparator.comparingLong(this::preference))
                .toList();
        for (Contact each : idle) {
            if (!hasRoom()) {
                return;
            }
            each.begin();
        }
    }

    private long preference(Contact contact) {
        long both = node.id().id().getLeastSignificantBits()
                ^ contact.instance().node().id().getLeastSignificantBits();
        // Multiplied by the golden ratio, neighbours are far from each other.
        return both * 0x9E3779B97F4A7C15L;
    }

    /** Nobody waits for what no waiting helps, nor, with one try, beyond it. */
    private void tellIfHopeless() {
        if (!contacts.isEmpty() && contacts.values().stream().allMatch(Contact::isHopeless)) {
            tellAll(this::hopeless);
        } else if (oneTry() && known && contacts.values().stream().noneMatch(Contact::maySoonBeThere)) {
            tellAll(() -> new PeerUnavailable(why() + "; calls do not wait for more than one try", directoryFailure));
        }
    }

    private void tellAll(Supplier<Throwable> reason) {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        all.forEach(each -> each.sink.error(reason.get()));
    }

    /** Whether somebody waits who has one try. */
    boolean awaitsOneTry() {
        return oneTry() && !waiters.isEmpty();
    }

    private void unknown(Waiter waiter) {
        if (!known && waiters.remove(waiter)) {
            waiter.sink.error(new PeerUnavailable(why() + "; it has not answered yet"));
        }
    }

    private Throwable hopeless() {
        Throwable first =
                Objects.requireNonNull(contacts.values().iterator().next().failure());
        String text = "service '" + service + "' can't be called: " + reasons();
        return first instanceof AuthenticationFailed
                ? new AuthenticationFailed(text, first)
                : new PeerUnavailable(text, first);
    }

    private void tooLong(Waiter waiter) {
        if (waiters.remove(waiter)) {
            waiter.sink.error(new PeerUnavailable(
                    why() + "; waited " + options.patience().toMillis() + " ms (weir.services." + service + ".wait)",
                    directoryFailure));
        }
    }

    private String why() {
        String ofDirectory = directoryFailure == null ? "" : "; the directory has failed: " + text(directoryFailure);
        return contacts.isEmpty()
                ? whereabouts.absence() + ofDirectory
                : "no instance of service '" + service + "' can be reached: " + reasons() + ofDirectory;
    }

    private String reasons() {
        String told = contacts.values().stream()
                .limit(MOST_TOLD)
                .map(each -> ForeignText.harmless(whereabouts.text(each.instance())) + ": "
                        + (each.failure() == null ? ForeignText.harmless(whereabouts.trouble()) : text(each.failure())))
                .collect(Collectors.joining("; "));
        int more = contacts.size() - MOST_TOLD;
        return more > 0 ? told + "; and " + more + " more" : told;
    }

    /** In one line, as others may have written it. */
    static String text(@Nullable Throwable error) {
        String message = error == null ? "" : String.valueOf(error.getMessage());
        return ForeignText.harmless(error instanceof WeirException ? message : error + "");
    }

    private Refused over() {
        return new Refused("service '" + service + "' is not called any more: its client, or the node, is closed");
    }

    /** Waiting calls get an error, and no instance is called any more. What is under way goes on. Any thread. */
    @Override
    public void dispose() {
        closed = true;
        line = Line.EMPTY;
        later(() -> {
            line = Line.EMPTY;
            following.dispose();
            contacts.values().forEach(Contact::close);
            contacts.clear();
            List<Waiter> all = new ArrayList<>(waiters);
            waiters.clear();
            all.forEach(each -> each.sink.error(over()));
        });
    }

    @Override
    public boolean isDisposed() {
        return closed;
    }

    /** A call without somebody to call. */
    private static final class Waiter {

        final MonoSink<Callee> sink;
        Disposable limit = Disposables.disposed();
        /** Nobody waits any more, perhaps before it was in the list. */
        boolean over;

        Waiter(MonoSink<Callee> sink) {
            this.sink = sink;
        }
    }
}
