package io.weir.integration.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.ProtocolMismatch;
import io.weir.core.TimedOut;
import io.weir.integration.Archive;
import io.weir.integration.Archive.Entry;
import io.weir.integration.Books;
import io.weir.integration.Ledger;
import io.weir.integration.Ledger.Balance;
import io.weir.integration.Ledger.Receipt;
import io.weir.integration.Nodes;
import io.weir.integration.Observer;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.CallCodecs;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import io.weir.service.remote.RemoteInvocationException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Interfaces that are called remotely. */
interface InterfaceContract extends OnRoute {

    /** A ledger that is exported by one node and called by another one. */
    record Shop(Pair pair, Books books, Ledger ledger, Interfaces far, Interfaces near) {

        static Shop open(Nodes nodes) {
            return open(nodes, ExportOptions.standard(), ProxyOptions.standard());
        }

        static Shop open(Nodes nodes, ExportOptions exported, ProxyOptions called) {
            Pair pair = nodes.pair();
            Books books = new Books();
            Interfaces far = new Interfaces(pair.far());
            var unused = far.export("ledger", Ledger.class, books, exported);
            Interfaces near = new Interfaces(pair.near());
            return new Shop(pair, books, near.proxy(Ledger.class, pair.peer(), "ledger", called), far, near);
        }
    }

    private static <T> T await(Mono<T> mono) {
        return java.util.Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    @Test
    default void everyKindOfMethod(Nodes nodes) throws Exception {
        Shop shop = Shop.open(nodes);
        Ledger ledger = shop.ledger();

        Mono<Balance> balance = ledger.balance("ann");
        assertThat(await(balance)).isEqualTo(new Balance("ann", 3));
        assertThat(await(balance)).isEqualTo(new Balance("ann", 3));
        assertThat(await(ledger.balance("ann", Instant.ofEpochSecond(9)))).isEqualTo(new Balance("ann", 9));
        assertThat(await(ledger.balance("ann", null))).isEqualTo(new Balance("ann", -1));
        assertThat(ledger.close("ann").block(Patience.LIMIT)).isNull();
        StepVerifier.create(ledger.entries("ann", 1000))
                .expectNextCount(999)
                .expectNext(Entry.of(999))
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(ledger.book("here", Flux.range(0, 500).map(Entry::of)))
                .expectNext(new Receipt("here", 0))
                .expectNextCount(499)
                .expectComplete()
                .verify(Patience.LIMIT);
        assertThat(await(ledger.count(Flux.range(0, 10).map(Entry::of), 5))).isEqualTo(15);
        assertThat(ledger.later("bob").toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isEqualTo(new Balance("bob", 7));
        assertThat(ledger.perhaps(true).get(60, TimeUnit.SECONDS)).isEqualTo("yes");
        assertThat(ledger.perhaps(false).get(60, TimeUnit.SECONDS)).isNull();
        assertThat(ledger.now("bob")).isEqualTo(new Balance("bob", 1));
        assertThat(ledger.sum(new int[] {1, 2, 3}, 4)).isEqualTo(10);
        ledger.forget("bob");
        assertThat(await(ledger.total("ann", "robert"))).isEqualTo(9);
        assertThat(await(ledger.find("four"))).isEqualTo(Entry.of(4));
        Entry nested = new Entry(1, Archive.Kind.OUT, "é", List.of(Entry.of(2), Entry.of(3)));
        assertThat(await(ledger.all(Map.of("a", nested)))).containsExactly(nested);
        assertThat(await(ledger.reversed(new byte[] {1, 2, 3}))).containsExactly(3, 2, 1);
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {4, 5});
        assertThat(await(ledger.echo(bytes))).isEqualTo(bytes);
        assertThat(await(ledger.caller()))
                .isEqualTo("Ledger.caller() called by " + shop.pair().near().id() + " = Ledger.caller() called by "
                        + shop.pair().near().id());
        assertThat(List.of(ledger)).contains(ledger).doesNotContain(shop.books());
        assertThat(ledger.toString()).contains("Ledger");
        assertThat(shop.books().threads).noneMatch(name -> name.contains("weir-far"));
        shop.pair().settle();
    }

    @Test
    default void objectsThatStayWhereTheyAre(Nodes nodes) {
        Shop shop = Shop.open(nodes);
        Observer observer = new Observer();

        assertThat(await(shop.ledger().watch("ann", observer))).isEqualTo("ann[10, 20, 30]");
        assertThat(observer.seen).containsExactly(new Balance("ann", 5));
        assertThat(await(shop.ledger().watcher("ann"))).isSameAs(observer);
        assertThat(shop.ledger().isMine(observer)).isTrue();

        Ledger.Watcher there = new Observer();
        shop.books().watchers.put("there", there);
        Ledger.Watcher borrowed = await(shop.ledger().watcher("there"));
        assertThat(borrowed.name()).isEqualTo("observer");
        assertThat(shop.ledger().isMine(borrowed)).isTrue();
    }

    @Test
    default void errorsKeepTheirTypes(Nodes nodes) {
        Shop shop = Shop.open(nodes);
        Ledger ledger = shop.ledger();

        assertThatThrownBy(() -> ledger.now("overdrawn"))
                .isInstanceOf(Ledger.Overdrawn.class)
                .hasMessage("by 3 cents");
        assertThatThrownBy(() -> ledger.now("lost"))
                .isInstanceOf(FileNotFoundException.class)
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(RemoteInvocationException.class);
        assertThatThrownBy(() -> await(ledger.fail("throws")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("thrown?here");
        assertThatThrownBy(() -> await(ledger.fail("element"))).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> await(ledger.fail("null"))).hasMessageContaining("has returned null");
        assertThatThrownBy(() -> await(ledger.fail("error")))
                .isInstanceOf(RemoteInvocationException.class)
                .hasMessageContaining("java.lang.AssertionError: not even an exception");
        assertThatThrownBy(() -> await(ledger.fail("own")))
                .isInstanceOfSatisfying(RemoteInvocationException.class, error -> {
                    assertThat(error.remoteType()).isEqualTo(Books.Own.class.getName());
                    assertThat(error.remoteMessage()).isEqualTo("of its own");
                    assertThat(error.remoteStack()).isEmpty();
                });
        StepVerifier.create(ledger.failAfter(3))
                .expectNext(0, 1, 2)
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("after 3"))
                .verify(Patience.LIMIT);
    }

    @Test
    default void deadlinesEndBothSides(Nodes nodes) {
        Shop shop = Shop.open(nodes);

        assertThatThrownBy(() -> await(shop.ledger().slow())).isInstanceOf(TimedOut.class);
        StepVerifier.create(shop.ledger().slowStream())
                // On a busy machine the time may be over before anything arrives.
                .thenConsumeWhile("first"::equals)
                .expectError(TimedOut.class)
                .verify(Patience.LIMIT);
        shop.pair().settle();
        Patience.until(
                () -> shop.books().cancelled + " of " + shop.books().waiters + " handlers are cancelled",
                () -> shop.books().cancelled.get() == shop.books().waiters.get());
    }

    @Test
    default void whatReadsItselfDoesSoOnNoLoop(Nodes nodes) {
        Pair pair = nodes.pair();
        CallCodec java = CallCodecs.serialized(ObjectInputFilter.Config.createFilter(
                Post.Letter.class.getName() + ";java.lang.Number;java.lang.Integer"));
        var exported = new Interfaces(pair.far())
                .export(
                        "post",
                        Post.class,
                        new Post.Office(),
                        ExportOptions.standard().codec(java).blockingCalls(4));
        Post post = new Interfaces(pair.near())
                .proxy(Post.class, pair.peer(), "post", ProxyOptions.standard().codec(java));
        Post.Letter.READ.set(0);
        Post.Letter.WRONG_THREADS.clear();

        assertThat(await(post.reply(new Post.Letter(1))).number).isEqualTo(-1);
        assertThat(post.replyNow(new Post.Letter(2)).number).isEqualTo(-2);
        StepVerifier.create(post.replies(new Post.Letter(0), Flux.range(1, 20).map(Post.Letter::new))
                        .map(letter -> -letter.number))
                .expectNextSequence(IntStream.rangeClosed(0, 20).boxed().toList())
                .expectComplete()
                .verify(Patience.LIMIT);
        assertThatThrownBy(() -> await(post.weigh(new ArrayList<>())))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("REJECTED");

        assertThat(Post.Letter.READ).hasValue(4 + 42);
        assertThat(Post.Letter.WRONG_THREADS).isEmpty();
        exported.dispose();
    }

    /** A payload that nobody releases fails the test. */
    @Test
    default void whatABlockingHandlerReturnsBehindTheCancelIsReleased(Nodes nodes) throws InterruptedException {
        Shop shop = Shop.open(nodes);
        Thread caller = new Thread(() -> assertThatThrownBy(() -> shop.ledger().now())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("interrupted while waiting for Ledger.now()"));
        caller.start();
        Patience.await("the handler has begun", shop.books().begun);

        caller.interrupt();

        caller.join(Patience.LIMIT.toMillis());
        Patience.until(
                "the handler is interrupted", () -> shop.books().interrupted.get() == 1);
        Patience.until("its answer is released", () -> Payloads.out() == 0);
    }

    @Test
    default void cancellingReachesTheHandler(Nodes nodes) {
        Shop shop = Shop.open(nodes);

        CompletableFuture<String> future = shop.ledger().waiting().toFuture();
        Patience.until("the handler has begun", () -> shop.books().waiters.get() == 1);
        future.cancel(true);
        Patience.until("the handler is cancelled", () -> shop.books().cancelled.get() == 1);
        StepVerifier.create(shop.ledger().entries("ann", Integer.MAX_VALUE).take(5))
                .expectNextCount(5)
                .expectComplete()
                .verify(Patience.LIMIT);
        Patience.until(
                () -> "the stream is cancelled: " + shop.books().cancelled,
                () -> shop.books().cancelled.get() > 1);
    }
}
