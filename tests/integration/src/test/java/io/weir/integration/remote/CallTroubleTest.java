package io.weir.integration.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.MessageTooLarge;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.SessionLost;
import io.weir.integration.Archive;
import io.weir.integration.Books;
import io.weir.integration.Child;
import io.weir.integration.Ledger;
import io.weir.integration.Ledger.Balance;
import io.weir.integration.Nodes;
import io.weir.integration.Observer;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.remote.InterfaceContract.Shop;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import io.weir.tck.Seed;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Calls that are cut off, refused, too many or too large, and what they have lent. */
@Tag("one-jdk")
class CallTroubleTest implements OnRoute {

    private static <T> T await(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    private static CompletableFuture<Balance> blocking(Shop shop) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return shop.ledger().now("wait");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aServerDiesInTheMiddle(Nodes nodes) {
        try (Child child = Child.start(LedgerServer.class)) {
            Node near = nodes.start("near");
            Peer peer = await(near.connect(child.address()));
            Ledger ledger = new Interfaces(near).proxy(Ledger.class, peer, "ledger", ProxyOptions.standard());
            Probe<String> one = Probe.of(1, answer -> {});
            ledger.waiting().subscribe(one);
            Probe<Archive.Entry> stream = Probe.of(10, item -> {});
            ledger.entries("ann", Integer.MAX_VALUE).subscribe(stream);
            CompletableFuture<Void> blocking = CompletableFuture.runAsync(() -> ledger.hold("wait"));
            stream.awaitReceived(10);
            Patience.until("the others have begun", () -> await(ledger.underWay()) == 2);

            child.kill();

            assertThat(one.awaitError()).isInstanceOf(SessionLost.class);
            assertThat(stream.awaitError()).isInstanceOf(SessionLost.class);
            assertThatThrownBy(() -> blocking.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SessionLost.class);
        }
    }

    @Test
    void whatWasBegunIsFinishedWhenTheExportIsDisposed(Nodes nodes) throws Exception {
        Pair pair = nodes.pair();
        Books books = new Books();
        Disposable export = new Interfaces(pair.far()).export("ledger", Ledger.class, books, ExportOptions.standard());
        Ledger ledger = new Interfaces(pair.near()).proxy(Ledger.class, pair.peer(), "ledger", ProxyOptions.standard());
        Shop shop = new Shop(pair, books, ledger, new Interfaces(pair.far()), new Interfaces(pair.near()));
        CompletableFuture<Balance> blocking = blocking(shop);
        Patience.await("it has begun", books.begun);

        export.dispose();

        Patience.until("what comes is refused", () -> {
            try {
                var unused = await(ledger.balance("ann"));
                return false;
            } catch (Refused e) {
                return true;
            }
        });
        assertThat(blocking).isNotDone();
        books.go.countDown();
        assertThat(blocking.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Balance("wait", 1));
    }

    @Test
    void oneMoreBlockingCallThanMayRun(Nodes nodes) {
        Shop shop = Shop.open(
                nodes,
                ExportOptions.standard().blockingCalls(1),
                ProxyOptions.standard().tries(1));
        CompletableFuture<Balance> first = blocking(shop);
        Patience.await("it has begun", shop.books().begun);

        assertThatThrownBy(() -> shop.ledger().forget("bob"))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("all 1 blocking calls");

        shop.books().go.countDown();
        first.join();
        Patience.until("its place is free", () -> {
            try {
                shop.ledger().forget("bob");
                return true;
            } catch (Overloaded e) {
                return false;
            }
        });
    }

    @Test
    void onePeerLeavesBlockingCallsForOthers(Nodes nodes) {
        Shop shop = Shop.open(
                nodes,
                ExportOptions.standard().blockingCalls(4),
                ProxyOptions.standard().tries(1));
        CompletableFuture<Balance> first = blocking(shop);
        CompletableFuture<Balance> second = blocking(shop);
        Patience.until("both run", () -> shop.books().calls.get() == 2);

        assertThatThrownBy(() -> shop.ledger().forget("bob"))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("this peer's share");
        Pair other = nodes.connect(nodes.start("other"), shop.pair().far());
        Ledger others = new Interfaces(other.near())
                .proxy(
                        Ledger.class,
                        other.peer(),
                        "ledger",
                        ProxyOptions.standard().tries(1));
        others.forget("bob");

        shop.books().go.countDown();
        first.join();
        second.join();
    }

    @Test
    void whatIsLongerThanMessagesMayBe(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec.maxMessage(100_000));
        var export = new Interfaces(pair.far()).export("ledger", Ledger.class, new Books(), ExportOptions.standard());
        Ledger ledger = new Interfaces(pair.near()).proxy(Ledger.class, pair.peer(), "ledger", ProxyOptions.standard());

        assertThatThrownBy(() -> await(ledger.reversed(new byte[100_000])))
                .isInstanceOf(MessageTooLarge.class)
                .hasMessageContaining("weir.message.max=100000");
        assertThatThrownBy(() -> await(ledger.zeros(100_000)))
                .isInstanceOf(RemoteFailure.class)
                .hasMessageContaining("weir.message.max=100000");
        assertThat(await(ledger.zeros(99_000))).hasSize(99_000);
    }

    @Test
    void anArgumentThatFails(Nodes nodes) {
        Ledger ledger = Shop.open(nodes).ledger();
        Flux<Archive.Entry> failing =
                Flux.just(Archive.Entry.of(1)).concatWith(Mono.error(new UnsupportedOperationException("no more")));

        StepVerifier.create(ledger.book("here", failing))
                .expectNextCount(1)
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessage("no more"))
                .verify(Patience.LIMIT);
        assertThatThrownBy(() -> await(ledger.count(failing, 1))).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> await(ledger.count(Flux.error(new Books.Own("mine")), 1)))
                .hasMessageContaining("mine");
        assertThat(await(ledger.count(Flux.empty(), 1))).isOne();
    }

    @Test
    void whoMustNotWaitIsTold(Nodes nodes) {
        Ledger ledger = Shop.open(nodes).ledger();

        StepVerifier.create(Mono.fromCallable(() -> ledger.now("ann")).subscribeOn(Schedulers.parallel()))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("Ledger.now(String) waits for its result", "parallel-"))
                .verify(Patience.LIMIT);
    }

    /** Lends an object with each call. */
    interface Lender {

        Mono<Ledger.Watcher> lend();

        Mono<Integer> keep(Ledger.Watcher watcher);
    }

    /** One whose objects live as long as somebody keeps them. */
    private static final class Pawnshop implements Lender {

        final Queue<WeakReference<Object>> lent = new ConcurrentLinkedQueue<>();
        final Queue<Object> kept = new ConcurrentLinkedQueue<>();

        Observer fresh() {
            Observer observer = new Observer();
            lent.add(new WeakReference<>(observer));
            return observer;
        }

        @Override
        public Mono<Ledger.Watcher> lend() {
            return Mono.<Ledger.Watcher>fromSupplier(this::fresh).subscribeOn(Schedulers.parallel());
        }

        @Override
        public Mono<Integer> keep(Ledger.Watcher watcher) {
            kept.add(watcher);
            return Mono.just(kept.size());
        }

        long out() {
            System.gc();
            return lent.stream().filter(each -> each.get() != null).count();
        }

        void awaitAllReturned() {
            Patience.until(() -> out() + " objects stay lent", () -> out() == 0);
        }
    }

    private static Lender lender(Pair pair, Pawnshop pawnshop) {
        var export = new Interfaces(pair.far()).export("lender", Lender.class, pawnshop, ExportOptions.standard());
        return new Interfaces(pair.near()).proxy(Lender.class, pair.peer(), "lender", ProxyOptions.standard());
    }

    /** Wherever the two of them meet. */
    @Test
    void whatIsLentInAnAnswerThatMeetsItsCancelIsTakenBack(Nodes nodes) {
        Pair pair = nodes.pair();
        Pawnshop pawnshop = new Pawnshop();
        Lender lender = lender(pair, pawnshop);
        await(lender.lend());
        SplittableRandom random = Seed.random("cancel");
        // About as long as an answer takes, so that most of them meet.
        int usual = 10_000;
        for (int i = 0; i < 5_000; i++) {
            AtomicBoolean answered = new AtomicBoolean();
            Probe<Ledger.Watcher> call = Probe.of(1, watcher -> answered.set(true));
            lender.lend().subscribe(call);
            for (int spin = random.nextInt(usual / 2, usual * 3 / 2); spin > 0; spin--) {
                Thread.onSpinWait();
            }
            call.cancel();
            usual = Math.max(10, Math.min(20_000, answered.get() ? usual - usual / 10 : usual + usual / 10 + 1));
        }
        pair.settle();

        pawnshop.awaitAllReturned();
    }

    /**
     * What stands for an object of the other side may be kept for longer than the connection; it keeps nothing else.
     */
    @Test
    void whatWasLentEndsWithTheConnection(Nodes nodes) {
        Pair pair = nodes.pair();
        Pawnshop here = new Pawnshop();
        Lender lender = lender(pair, new Pawnshop());
        Ledger.Watcher borrowed = await(lender.lend());
        await(lender.keep(here.fresh()));

        pair.peer().close().block(Patience.LIMIT);

        here.awaitAllReturned();
        assertThatThrownBy(borrowed::name).isInstanceOf(SessionLost.class);
    }

    @Test
    void whatIsClosedIsGivenBackAndMakesRoom(Nodes nodes) throws Exception {
        Pair pair = nodes.pair();
        Pawnshop pawnshop = new Pawnshop();
        Lender lender = lender(pair, pawnshop);
        List<Ledger.Watcher> borrowed = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            borrowed.add(await(lender.lend()));
        }
        assertThatThrownBy(() -> await(lender.lend()))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("4096 objects are passed by reference");
        Ledger.Watcher last = borrowed.remove(4095);

        ((AutoCloseable) last).close();

        assertThatThrownBy(last::name).isInstanceOf(Refused.class).hasMessageContaining("was closed");
        borrowed.add(await(lender.lend()));
        assertThat(borrowed.get(0).name()).isEqualTo("observer");
        borrowed.clear();
        pawnshop.awaitAllReturned();
    }

    @Test
    void twoVersionsOfAnInterfaceDifferInWhatIsNamed(Nodes nodes) throws Exception {
        Pair pair = nodes.pair();
        Class<?> ours = Version.of("Mono<String> tell(int number); Mono<String> same();");
        Class<?> theirs = Version.of("Mono<Integer> tell(int number); Mono<String> same(); Mono<String> more();");
        var export = export(pair, theirs);
        Object proxy = new Interfaces(pair.near()).proxy(ours, pair.peer(), "version", ProxyOptions.standard());

        Mono<?> call = (Mono<?>) ours.getMethod("same").invoke(proxy);

        assertThatThrownBy(() -> await(call))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContainingAll(
                        "Version.tell(int): tell(int): Mono<String> here, and tell(int): Mono<Integer> at far-")
                .hasMessageNotContaining("more");
    }

    private static <T> Disposable export(Pair pair, Class<T> type) {
        T object = type.cast(java.lang.reflect.Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> Mono.empty()));
        return new Interfaces(pair.far()).export("version", type, object, ExportOptions.standard());
    }
}
