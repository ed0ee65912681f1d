package io.weir.integration.path;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerStats;
import io.weir.config.NodeDefaults;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.integration.Child;
import io.weir.integration.HeldResources;
import io.weir.integration.OtherProcess;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Does random things with an {@link OtherProcess} for a while, each of which can tell whether it went well: everything arrives
 * once, whole, in order. At the end everything must be as before. Started by {@link Child} with the route, the other's
 * address, seconds and seed, and perhaps {@value #MOVING}, to have its path changed and cut all the time; exits with 0
 * if all went well.
 */
final class Soak {

    static final String MOVING = "moving";

    /** Jobs at once. */
    private static final int JOBS = 12;

    /**
     * Bytes of payloads that may exist at once: each job has a stream of its own and its echo, each of which may hold a
     * window and what its source was asked for.
     */
    private static final long BOUND = JOBS * 2L * (NodeDefaults.WINDOW_BYTES + Sizes.LONG.longest()) * 2;

    private final Node node;
    private final Peer peer;
    private final SplittableRandom random;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    private Soak(Node node, Peer peer, SplittableRandom random) {
        this.node = node;
        this.peer = peer;
        this.random = random;
    }

    public static void main(String[] arguments) {
        Route route = Route.valueOf(arguments[0]);
        long seconds = Long.parseLong(arguments[2]);
        long seed = Long.parseLong(arguments[3]);
        System.out.println("READY");
        try {
            long before = HeldResources.now().threads();
            boolean moving = arguments.length > 4 && arguments[4].equals(MOVING);
            NodeSpec.Builder spec = moving ? route.spec("soak").order("shm", "tcp") : route.spec("soak");
            Node node = Objects.requireNonNull(Node.start(spec.build()).block(Patience.LIMIT));
            Peer peer = Objects.requireNonNull(
                    node.connect(PeerAddress.parse(arguments[1])).block(Patience.LIMIT));
            Soak soak = new Soak(node, peer, new SplittableRandom(seed));
            try {
                soak.run(seconds, moving);
            } catch (Throwable t) {
                soak.report();
                throw t;
            }
            node.close().block(Patience.LIMIT);
            // The thread that tells of the end is the last one: it may still be telling us.
            Patience.until(
                    () -> "threads: " + before + " before, "
                            + HeldResources.now().threads() + " after",
                    () -> HeldResources.now().threads() == before);
            check("payloads", 0L, Payloads.out());
        } catch (Throwable t) {
            System.out.println("FAILED with seed " + seed);
            t.printStackTrace(System.out);
            System.exit(1);
        }
        System.exit(0);
    }

    /** What both sides have open, and what they hold. */
    private void report() {
        OtherProcess.report("here", node).subscribe(System.out::println);
        var unused = peer.ask(OtherProcess.REPORT, Message.of("?"))
                .map(Soak::text)
                .timeout(Duration.ofSeconds(10))
                .onErrorResume(error -> Mono.just("nothing was to be learned from there: " + error))
                .doOnNext(System.out::println)
                .block();
    }

    private static void check(String what, Object before, Object after) {
        if (!before.equals(after)) {
            throw new AssertionError(what + ": " + before + " before, " + after + " after");
        }
    }

    /** Every now and then it moves, or is cut. */
    private Disposable move(SplittableRandom dice) {
        return Flux.interval(Duration.ofMillis(15))
                .onBackpressureDrop()
                .concatMap(i -> switch (dice.nextInt(3)) {
                    case 0 -> peer.cut();
                    case 1 -> peer.moveTo("tcp").then();
                    default -> peer.moveTo("shm").then();
                })
                .onErrorContinue(Refused.class, (refused, what) -> {})
                .subscribe();
    }

    private void run(long seconds, boolean moving) {
        // The first round loads and opens whatever is kept for good.
        var unused = jobs(Flux.range(0, 100)).block(Patience.LIMIT);
        settle();
        HeldResources before = HeldResources.now();
        String there = state();

        Disposable mover = moving ? move(random.split()) : Disposables.disposed();
        long end = System.nanoTime() + seconds * 1_000_000_000;
        long jobs =
                Objects.requireNonNull(jobs(Flux.range(0, Integer.MAX_VALUE).takeWhile(i -> System.nanoTime() < end))
                        .block(Patience.LIMIT.plusSeconds(seconds)));
        mover.dispose();
        if (moving) {
            Patience.until(
                    () -> "shm again: " + peer.pathHistory(),
                    () -> Boolean.TRUE.equals(peer.moveTo("shm")
                            .map(moved -> true)
                            .onErrorReturn(Refused.class, false)
                            .block(Patience.LIMIT)));
        }

        settle();
        Patience.until(
                () -> "as before: " + before + ", but " + HeldResources.now(),
                () -> HeldResources.now().equals(before));
        Patience.until(() -> "there as before: " + there + ", but " + state(), () -> state().equals(there));
        Patience.until("no payload is out", () -> Payloads.out() == 0);
        if (most.get() > BOUND) {
            throw new AssertionError(most + " bytes of payloads existed at once, more than " + BOUND);
        }
        System.out.println("DONE " + jobs + " jobs, " + messages + " messages, at most " + most + " bytes at once; "
                + moves() + " moves; " + peer.path().line());
    }

    /** Nothing is under way any more: all channels but those of requests are forgotten. */
    private void settle() {
        String before = state();
        for (int same = 0; same < 3; ) {
            String now = state();
            same = now.equals(before) ? same + 1 : 0;
            before = now;
        }
    }

    private long moves() {
        return node.stats().stream().mapToLong(PeerStats::moves).sum();
    }

    private String state() {
        Message answer = Objects.requireNonNull(
                peer.ask(OtherProcess.STATE, Message.of("?")).block(Patience.LIMIT));
        String text = answer.text();
        answer.release();
        return text;
    }

    private Mono<Long> jobs(Flux<Integer> numbers) {
        return numbers.flatMap(i -> job(random.split(), i).thenReturn(i), JOBS).count();
    }

    private Mono<Void> job(SplittableRandom dice, int number) {
        int kind = dice.nextInt(8);
        Sizes sizes = dice.nextInt(12) == 0 ? Sizes.LONG : dice.nextBoolean() ? Sizes.MIXED : Sizes.TINY;
        long count = sizes == Sizes.LONG ? dice.nextInt(1, 4) : dice.nextInt(400);
        OtherProcess.Order order = new OtherProcess.Order(new Parcels(dice.nextLong(), sizes), count);
        String name = "job " + number + " of kind " + kind + ", " + order;
        Mono<Void> job = switch (kind) {
            case 0 -> all(peer.exchange(OtherProcess.ECHO, order.flux()), order, dice);
            case 1 -> some(peer.exchange(OtherProcess.ECHO, endless(order)), order, dice);
            case 2 -> all(peer.stream(OtherProcess.POUR, order.message()), order, dice);
            case 3 ->
                some(
                        peer.stream(
                                OtherProcess.POUR, new OtherProcess.Order(order.parcels(), Long.MAX_VALUE).message()),
                        order,
                        dice);
            case 4 -> push(order, dice);
            case 5 -> ask(order);
            case 6 -> failingSource(order);
            default -> failingHandler(order);
        };
        return watched(job, name)
                .timeout(Patience.LIMIT)
                .onErrorMap(error -> new AssertionError(name + " failed: " + error, error));
    }

    /** Says what both sides have open while a job that stands still has not been given up yet. */
    private Mono<Void> watched(Mono<Void> job, String name) {
        return Mono.using(
                () -> Mono.delay(Patience.LIMIT.dividedBy(2), Schedulers.boundedElastic())
                        .subscribe(late -> {
                            System.out.println(name + " is late");
                            report();
                        }),
                watch -> job,
                Disposable::dispose);
    }

    private static Flux<Message> endless(OtherProcess.Order order) {
        return order.parcels().flux(Long.MAX_VALUE);
    }

    /** Demand of some kind: all at once, in small steps, or from another thread in steps of about that size. */
    private Flux<Message> demanding(
            Flux<Message> flux, SplittableRandom dice, BiFunction<Flux<Message>, Integer, Flux<Message>> elsewhere) {
        Flux<Message> counted = flux.doOnNext(message -> {
            messages.incrementAndGet();
            most.accumulateAndGet(Payloads.bytesOut(), Math::max);
        });
        return switch (dice.nextInt(3)) {
            case 0 -> counted;
            case 1 -> counted.limitRate(dice.nextInt(1, 20));
            default -> elsewhere.apply(counted, dice.nextInt(1, 50));
        };
    }

    private Mono<Void> all(Flux<Message> flux, OtherProcess.Order order, SplittableRandom dice) {
        return demanding(flux, dice, (it, step) -> it.publishOn(Schedulers.parallel(), step))
                .doOnNext(order.parcels().checker())
                .count()
                .doOnNext(count -> check("count", order.count(), count))
                .then();
    }

    /** Cancels. Where Reactor's publishOn is cancelled, it may discard what was consumed, or forget what was not. */
    private Mono<Void> some(Flux<Message> flux, OtherProcess.Order order, SplittableRandom dice) {
        return demanding(
                        flux,
                        dice,
                        (it, step) -> it.subscribeOn(Schedulers.parallel()).limitRate(step))
                .doOnDiscard(Message.class, Message::release)
                .doOnNext(order.parcels().checker())
                .take(order.count())
                .count()
                .doOnNext(count -> check("count", order.count(), count))
                .then();
    }

    private Mono<Void> push(OtherProcess.Order order, SplittableRandom dice) {
        Flux<Message> flux = Flux.concat(Mono.fromSupplier(order::message), order.flux());
        boolean delivered = dice.nextBoolean();
        return peer.channel(OtherProcess.SINK)
                .flatMap(channel -> Mono.zip(
                        (delivered ? channel.sendDelivered(flux) : channel.send(flux)).thenReturn(true),
                        channel.receive().next().map(Soak::text)))
                .doOnNext(both -> check("count", Long.toString(order.count()), both.getT2()))
                .then();
    }

    private Mono<Void> ask(OtherProcess.Order order) {
        return Flux.range(0, (int) Math.min(order.count(), 50))
                .flatMap(i -> peer.ask(OtherProcess.ASK, order.parcels().message(i))
                        .doOnNext(answer -> order.parcels().check(i, answer)))
                .then();
    }

    private Mono<Void> failingSource(OtherProcess.Order order) {
        IllegalStateException cause = new IllegalStateException("the source fails on purpose");
        return peer.exchange(OtherProcess.ECHO, Flux.concat(order.flux(), Mono.error(cause)))
                .doOnNext(Message::release)
                .then(Mono.<Void>error(() -> new AssertionError("the failure was lost")))
                .onErrorResume(IllegalStateException.class, error -> Mono.empty());
    }

    private Mono<Void> failingHandler(OtherProcess.Order order) {
        return peer.exchange(OtherProcess.FAILING, Flux.concat(Mono.fromSupplier(order::message), endless(order)))
                .doOnNext(Message::release)
                .then(Mono.<Void>error(() -> new AssertionError("the failure was lost")))
                .onErrorResume(RemoteFailure.class, error -> Mono.empty());
    }

    private static String text(Message message) {
        String text = message.text();
        message.release();
        return text;
    }
}
