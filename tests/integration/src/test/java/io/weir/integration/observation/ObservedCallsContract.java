package io.weir.integration.observation;

import static io.weir.integration.observation.Traced.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.RemoteFailure;
import io.weir.core.TimedOut;
import io.weir.integration.Archive;
import io.weir.integration.Books;
import io.weir.integration.Ledger;
import io.weir.integration.Nodes;
import io.weir.integration.Observer;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.observation.Spans.Span;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.RemoteInvocationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What observations tell of calls, and how they hang together from node to node. */
interface ObservedCallsContract extends OnRoute {

    Codec<String> TEXT = Codecs.text();

    @Test
    default void callsOfAPeer(Nodes nodes) {
        Traced traced = Traced.open(nodes);
        Pair pair = traced.pair();
        pair.far().answer("ask", TEXT, TEXT, text -> {
            traced.mark("asked");
            return Mono.deferContextual(context -> {
                traced.mark("answering", context);
                return Mono.just(text);
            });
        });
        pair.far().answer("tell", TEXT, TEXT, text -> Mono.empty());
        pair.far().stream("stream", TEXT, TEXT, text -> {
            traced.mark("streamed");
            return Flux.deferContextual(context -> {
                traced.mark("streaming", context);
                return Flux.just(text, text);
            });
        });
        pair.far().serve("exchange", channel -> {
            traced.mark("served");
            return Mono.deferContextual(context -> {
                traced.mark("serving", context);
                return channel.send(channel.receive());
            });
        });
        Observation outer = Observation.start("outer", traced.near());

        Mono<String> ask = pair.peer()
                .ask("ask", "a", TEXT, TEXT)
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, outer));
        assertThat(await(ask)).isEqualTo("a");
        pair.peer().tell("tell", "b", TEXT).block(Patience.LIMIT);
        try (Observation.Scope unused = outer.openScope()) {
            assertThat(await(pair.peer().stream("stream", "c", TEXT, TEXT).collectList()))
                    .containsExactly("c", "c");
        }
        assertThat(await(Flux.just("d", "e")
                        .transform(pair.peer().stage("exchange", TEXT, TEXT))
                        .collectList()))
                .containsExactly("d", "e");
        outer.stop();

        for (String port : List.of("ask", "tell", "stream")) {
            traced.assertCall("port", port, "success none", "success none");
            assertThat(traced.client("port", port).key("kind")).isEqualTo(port);
            assertThat(traced.server("port", port).key("kind")).isEqualTo(port);
        }
        assertThat(traced.client("port", "ask").parent())
                .isEqualTo(traced.spans().of("outer").id());
        assertThat(traced.client("port", "stream").parent())
                .isEqualTo(traced.spans().of("outer").id());
        assertThat(traced.client("port", "tell").parent()).isZero();
        assertThat(traced.client("port", "exchange").outcome()).isEqualTo("success none");
        assertThat(traced.server("port", "exchange").outcome()).isEqualTo("success none");
        assertParent(traced, "port", "ask", "asked", "answering");
        assertParent(traced, "port", "stream", "streamed", "streaming");
        assertParent(traced, "port", "exchange", "served", "serving");
        Span client = traced.client("port", "ask");
        assertThat(client.key("peer")).isEqualTo("far");
        assertThat(client.key("path")).isEqualTo(route().path);
        assertThat(client.key("method")).isEqualTo("none");
        assertThat(client.context().getContextualName()).isEqualTo("ask ask");
        assertThat(traced.server("port", "ask").key("peer")).isEqualTo("near");
        traced.assertAllOver();
    }

    private static void assertParent(Traced traced, String key, String value, String... inner) {
        for (String each : inner) {
            assertThat(traced.spans().of(each).parent())
                    .as(each)
                    .isEqualTo(traced.server(key, value).id());
        }
    }

    @Test
    default void callsOfAPeerThatFailOrAreCancelled(Nodes nodes) {
        Traced traced = Traced.open(nodes);
        Pair pair = traced.pair();
        pair.far().answer("throws", request -> {
            request.release();
            throw new IllegalArgumentException("at once");
        });
        pair.far().answer("fails", request -> {
            request.release();
            return Mono.error(new IllegalStateException("later"));
        });
        pair.far().answer("never", request -> {
            request.release();
            return Mono.never();
        });
        pair.far().stream(
                "breaks", TEXT, TEXT, text -> Flux.just(text).concatWith(Flux.error(new IllegalStateException())));
        pair.far().stream("endless", TEXT, TEXT, text -> Flux.just(text).repeat());

        assertThatThrownBy(() -> await(pair.peer().ask("throws", Message.of("?"))))
                .isInstanceOf(RemoteFailure.class);
        assertThatThrownBy(() -> await(pair.peer().ask("fails", Message.of("?"))))
                .isInstanceOf(RemoteFailure.class);
        Disposable asking = pair.peer().ask("never", Message.of("?")).subscribe();
        Patience.until(
                "it is asked",
                () -> traced.spans().of("weir.server.calls", "port", "never").size() == 1);
        asking.dispose();
        StepVerifier.create(pair.peer().stream("breaks", "a", TEXT, TEXT))
                .expectNext("a")
                .expectError(RemoteFailure.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().stream("endless", "a", TEXT, TEXT).take(3))
                .expectNextCount(3)
                .expectComplete()
                .verify(Patience.LIMIT);
        assertThatThrownBy(() -> await(pair.peer().ask("nobody", Message.of("?"))))
                .hasMessageContaining("nobody");

        traced.assertCall("port", "throws", "error RemoteFailure", "error IllegalArgumentException");
        traced.assertCall("port", "fails", "error RemoteFailure", "error IllegalStateException");
        traced.assertCall("port", "never", "cancelled none", "cancelled none");
        traced.assertCall("port", "breaks", "error RemoteFailure", "error IllegalStateException");
        traced.assertCall("port", "endless", "cancelled none", "cancelled none");
        assertThat(traced.client("port", "nobody").outcome()).isEqualTo("error Refused");
        traced.assertAllOver();
    }

    @Test
    default void methods(Nodes nodes) throws Exception {
        Traced traced = Traced.open(nodes);
        Ledger ledger = traced.ledger(new Books() {
            @Override
            public Mono<Balance> balance(String account) {
                traced.mark("called");
                return super.balance(account).transformDeferredContextual((balance, context) -> {
                    traced.mark("yielding", context);
                    return balance;
                });
            }

            @Override
            public void forget(String account) {
                traced.mark("blocking");
            }

            @Override
            public Flux<Entry> entries(String account, int count) {
                traced.mark("flowing");
                return Flux.deferContextual(context -> {
                    traced.mark("flown", context);
                    return super.entries(account, count);
                });
            }
        });
        Observation outer = Observation.start("outer", traced.near());

        await(ledger.balance("ann").contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, outer)));
        try (Observation.Scope unused = outer.openScope()) {
            ledger.forget("ann");
        }
        outer.stop();
        assertThat(await(ledger.entries("ann", 3).count())).isEqualTo(3);
        assertThat(await(ledger.book("here", Flux.range(0, 5).map(Archive.Entry::of))
                        .count()))
                .isEqualTo(5);
        assertThat(await(ledger.count(Flux.range(0, 5).map(Archive.Entry::of), 1)))
                .isEqualTo(6);
        assertThat(ledger.perhaps(false).get(60, TimeUnit.SECONDS)).isNull();
        assertThat(ledger.close("ann").block(Patience.LIMIT)).isNull();
        assertThat(await(ledger.underWay())).isZero();

        for (String method : List.of("balance", "forget", "entries", "book", "count", "perhaps", "close", "underWay")) {
            traced.assertCall("method", "Ledger." + method, "success none", "success none");
        }
        for (String method : List.of("balance", "forget")) {
            assertThat(traced.client("method", "Ledger." + method).parent())
                    .isEqualTo(traced.spans().of("outer").id());
        }
        assertParent(traced, "method", "Ledger.balance", "called", "yielding");
        assertParent(traced, "method", "Ledger.forget", "blocking");
        assertParent(traced, "method", "Ledger.entries", "flowing", "flown");
        Span balance = traced.client("method", "Ledger.balance");
        assertThat(List.of(balance.key("kind"), balance.key("peer"), balance.key("port"), balance.key("path")))
                .containsExactly("ask", "far", "ledger", route().path);
        assertThat(balance.context().getContextualName()).isEqualTo("Ledger.balance");
        Span count = traced.client("method", "Ledger.count");
        assertThat(List.of(count.key("kind"), count.key("peer"), count.key("port"), count.key("path")))
                .containsExactly("exchange", "far", "ledger", route().path);
        assertThat(traced.server("method", "Ledger.entries").key("kind")).isEqualTo("stream");
        // Neither what binds nor what gives back is a call.
        assertThat(traced.spans().of("weir.server.calls", "method", "none")).isEmpty();
        traced.assertAllOver();
    }

    @Test
    default void methodsThatFailOrAreCancelled(Nodes nodes) {
        Traced traced = Traced.open(nodes);
        Books books = new Books();
        Ledger ledger = traced.ledger(books);

        assertThatThrownBy(() -> ledger.now("overdrawn")).isInstanceOf(Ledger.Overdrawn.class);
        assertThatThrownBy(() -> await(ledger.fail("own"))).isInstanceOf(RemoteInvocationException.class);
        assertThatThrownBy(() -> await(ledger.failAfter(2).collectList())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> await(ledger.slow())).isInstanceOf(TimedOut.class);
        assertThatThrownBy(() -> await(ledger.slowStream().collectList())).isInstanceOf(TimedOut.class);
        CompletableFuture<String> waiting = ledger.waiting().toFuture();
        Patience.until(
                "it waits",
                () -> traced.spans()
                                .of("weir.server.calls", "method", "Ledger.waiting")
                                .size()
                        == 1);
        waiting.cancel(true);
        assertThat(await(ledger.entries("ann", Integer.MAX_VALUE).take(2).count()))
                .isEqualTo(2);

        traced.assertCall("method", "Ledger.now", "error Overdrawn", "error Overdrawn");
        traced.assertCall("method", "Ledger.fail", "error RemoteInvocationException", "error Own");
        traced.assertCall("method", "Ledger.failAfter", "error IllegalStateException", "error IllegalStateException");
        traced.assertCall("method", "Ledger.waiting", "cancelled none", "cancelled none");
        traced.assertCall("method", "Ledger.entries", "cancelled none", "cancelled none");
        // On a busy machine the time may be over before the request is there.
        assertThat(traced.client("method", "Ledger.slow").outcome()).isEqualTo("error TimedOut");
        assertThat(traced.client("method", "Ledger.slowStream").outcome()).isEqualTo("error TimedOut");
        traced.assertAllOver();
    }

    /** However often it is sent: for who calls it is one call. */
    @Test
    default void triesAreOneCall(Nodes nodes) throws Exception {
        Traced traced = Traced.open(nodes);
        Books books = new Books();
        Ledger ledger = traced.ledger(books, ExportOptions.standard().blockingCalls(1));
        CompletableFuture<Void> holding = CompletableFuture.runAsync(() -> ledger.hold("ann"));
        Patience.await("the only thread is taken", books.begun);

        assertThatThrownBy(() -> ledger.forget("ann")).isInstanceOf(Overloaded.class);

        books.go.countDown();
        holding.get(60, TimeUnit.SECONDS);
        Span client = traced.client("method", "Ledger.forget");
        assertThat(client.outcome()).isEqualTo("error Overloaded");
        assertThat(traced.spans().of("weir.server.calls", "method", "Ledger.forget"))
                .hasSize(3)
                .allMatch(each -> each.parent() == client.id());
        traced.assertAllOver();
    }

    @Test
    default void callbacks(Nodes nodes) {
        Traced traced = Traced.open(nodes);
        Ledger ledger = traced.ledger(new Books());

        assertThat(await(ledger.watch("ann", new Observer()))).isEqualTo("ann[10, 20, 30]");

        int watch = traced.server("method", "Ledger.watch").id();
        for (String method : List.of("Watcher.changed", "Watcher.questions")) {
            traced.assertCall("method", method, "success none", "success none");
            assertThat(traced.client("method", method).parent()).as(method).isEqualTo(watch);
        }
        traced.assertAllOver();
    }

    /** What is under way when the connection ends, or waits for what has ended. */
    @Test
    default void aConnectionThatEnds(Nodes nodes) {
        Traced traced = Traced.open(nodes);
        Books books = new Books();
        Ledger ledger = traced.ledger(books);
        Probe<String> waiting = Probe.of(1, answer -> {});
        ledger.waiting().subscribe(waiting);
        Probe<Archive.Entry> stream = Probe.of(10, item -> {});
        ledger.entries("ann", Integer.MAX_VALUE).subscribe(stream);
        stream.awaitReceived(10);
        Patience.until("it waits", () -> books.waiters.get() == 1);

        traced.pair().peer().close().block(Patience.LIMIT);

        String reason = "error " + waiting.awaitError().getClass().getSimpleName();
        stream.awaitError();
        assertThatThrownBy(() -> await(ledger.balance("ann"))).isNotNull();
        traced.assertCall("method", "Ledger.waiting", reason, "cancelled none");
        assertThat(traced.client("method", "Ledger.entries").key("outcome")).isEqualTo("error");
        assertThat(traced.client("method", "Ledger.balance").key("outcome")).isEqualTo("error");
        traced.assertAllOver();
    }
}
