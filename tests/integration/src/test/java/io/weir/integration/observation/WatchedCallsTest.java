package io.weir.integration.observation;

import static io.weir.integration.observation.Traced.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.observation.ObservationRegistry;
import io.weir.channel.CallDescription;
import io.weir.channel.CallInterceptor;
import io.weir.channel.CallKind;
import io.weir.channel.CallOutcome;
import io.weir.channel.ContextEntries;
import io.weir.channel.IncomingCall;
import io.weir.channel.OutgoingCall;
import io.weir.channel.WeirObservations;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.ControlData;
import io.weir.core.Message;
import io.weir.core.TimedOut;
import io.weir.integration.Blackboard;
import io.weir.integration.Books;
import io.weir.integration.Ledger;
import io.weir.integration.Ledger.Balance;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Interfaces;
import io.weir.service.remote.ProxyOptions;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** What interceptors of calls are told, and what they may add. */
class WatchedCallsTest implements OnRoute {

    private static final Codec<String> TEXT = Codecs.text();

    /** Writes down what it is told, and sends its name along. */
    private record Scribe(String name, Queue<String> seen) implements CallInterceptor {

        @Override
        public OutgoingCall calling(CallDescription call, ContextView context) {
            seen.add(name + " calling " + call.port());
            return new OutgoingCall() {
                @Override
                public ControlData sending(CallDescription sent, ControlData control) {
                    return control.with("names", control.has("names", "a") ? "a" + name : name);
                }

                @Override
                public Context context(Context before) {
                    return before.put("caller", before.getOrDefault("caller", "") + name);
                }

                @Override
                public void ended(CallOutcome outcome, @Nullable Throwable error) {
                    seen.add(name + " called " + outcome);
                }
            };
        }

        @Override
        public IncomingCall called(CallDescription call, ControlData control) {
            return new IncomingCall() {
                @Override
                public Scope open() {
                    seen.add(name + " opens");
                    return () -> seen.add(name + " closes");
                }

                @Override
                public void ended(CallOutcome outcome, @Nullable Throwable error) {
                    seen.add(name + " answered " + outcome);
                }
            };
        }
    }

    @Test
    void severalWatchFromOutsideIn(Nodes nodes) {
        Pair pair = nodes.pair();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        for (var node : List.of(pair.near(), pair.far())) {
            node.intercept(new Scribe("a", seen));
            node.intercept(new Scribe("b", seen));
        }
        pair.far().answer("names", request -> {
            String names = String.valueOf(request.control().get("names"));
            request.release();
            return Mono.just(Message.of(names));
        });

        Message answer = await(pair.peer().ask("names", Message.of("?")));

        assertThat(Payloads.read(answer)).isEqualTo("ab");
        assertThat(seen)
                .containsExactly(
                        "a calling names",
                        "b calling names",
                        "a opens",
                        "b opens",
                        "b closes",
                        "a closes",
                        "b answered SUCCESS",
                        "a answered SUCCESS",
                        "b called SUCCESS",
                        "a called SUCCESS");
    }

    @Test
    void aSourceHasTheContextOfItsCall(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.near().intercept(new Scribe("a", new ConcurrentLinkedQueue<>()));
        Queue<String> firsts = new ConcurrentLinkedQueue<>();
        pair.far()
                .serve(
                        "echo",
                        channel -> channel.send(channel.receive()
                                .doOnNext(message -> firsts.add(
                                        String.valueOf(message.control().get("names"))))));

        Flux<String> source = Flux.deferContextual(context -> Flux.just(context.<String>get("caller"), "more"));

        assertThat(await(source.transform(pair.peer().stage("echo", TEXT, TEXT)).collectList()))
                .containsExactly("a", "more");
        assertThat(firsts).containsExactly("a", "null");
    }

    private static final CallInterceptor BROKEN = new CallInterceptor() {

        private RuntimeException failure() {
            return new IllegalStateException("broken");
        }

        @Override
        public OutgoingCall calling(CallDescription call, ContextView context) {
            if (call.kind() == CallKind.STREAM) {
                throw failure();
            }
            return new OutgoingCall() {
                @Override
                public ControlData sending(CallDescription sent, ControlData control) {
                    throw failure();
                }

                @Override
                public Context context(Context before) {
                    throw failure();
                }

                @Override
                public void ended(CallOutcome outcome, @Nullable Throwable error) {
                    throw failure();
                }
            };
        }

        @Override
        public IncomingCall called(CallDescription call, ControlData control) {
            if (call.kind() == CallKind.STREAM) {
                throw failure();
            }
            return new IncomingCall() {
                @Override
                public Scope open() {
                    throw failure();
                }

                @Override
                public Context context(Context before) {
                    throw failure();
                }

                @Override
                public void ended(CallOutcome outcome, @Nullable Throwable error) {
                    throw failure();
                }
            };
        }
    };

    @Test
    void callsGoOnWhateverAnInterceptorDoes(Nodes nodes) {
        Pair pair = nodes.pair();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        for (var node : List.of(pair.near(), pair.far())) {
            node.intercept(BROKEN);
            node.intercept(new Scribe("b", seen));
        }
        pair.far().answer("ask", TEXT, TEXT, Mono::just);
        pair.far().stream("stream", TEXT, TEXT, Flux::just);
        Ledger ledger = ledger(pair);

        assertThat(await(pair.peer().ask("ask", "a", TEXT, TEXT))).isEqualTo("a");
        assertThat(await(pair.peer().stream("stream", "b", TEXT, TEXT).collectList()))
                .containsExactly("b");
        assertThat(await(ledger.balance("ann"))).isEqualTo(new Balance("ann", 3));
        assertThat(await(ledger.entries("ann", 3).count())).isEqualTo(3);
        assertThat(seen).filteredOn("b called SUCCESS"::equals).hasSize(4);
        Patience.until(
                seen::toString,
                () -> seen.stream().filter("b answered SUCCESS"::equals).count() == 4);
    }

    private static Ledger ledger(Pair pair) {
        return ledger(pair, ProxyOptions.standard());
    }

    private static Ledger ledger(Pair pair, ProxyOptions options) {
        var unused = new Interfaces(pair.far()).export("ledger", Ledger.class, new Books(), ExportOptions.standard());
        return new Interfaces(pair.near()).proxy(Ledger.class, pair.peer(), "ledger", options);
    }

    /** The clock of a call runs while whoever watches it is still being told that it begins. */
    @Test
    void aDeadlineThatPassesWhileACallBeginsIsNoCancel(Nodes nodes) {
        Pair pair = nodes.pair();
        CompletableFuture<Throwable> late = new CompletableFuture<>();
        Queue<String> ends = new ConcurrentLinkedQueue<>();
        pair.near().intercept(new CallInterceptor() {
            @Override
            public OutgoingCall calling(CallDescription call, ContextView context) {
                assertThat(late.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)
                                .join())
                        .isInstanceOf(TimedOut.class);
                return new OutgoingCall() {
                    @Override
                    public void ended(CallOutcome outcome, @Nullable Throwable error) {
                        ends.add(outcome + " " + error);
                    }
                };
            }
        });
        Ledger ledger = ledger(pair, ProxyOptions.standard().deadline(Duration.ofMillis(20)));

        ledger.balance("ann").subscribe(balance -> {}, late::complete);

        assertThat(late).isCompleted();
        assertThat(ends).singleElement().asString().startsWith("ERROR").contains("has not ended within PT0.02S");
    }

    @Test
    void entriesOfTheContextGoFromNodeToNode(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.near().intercept(ContextEntries.of("tenant", "user"));
        pair.far().intercept(ContextEntries.of("tenant", "role"));
        Traced traced = Traced.of(pair);
        pair.far().answer("context", TEXT, TEXT, text -> Mono.deferContextual(WatchedCallsTest::shown));
        pair.far().stream("flow", TEXT, TEXT, text -> Flux.deferContextual(WatchedCallsTest::shown));
        Blackboard board = new Blackboard();
        var unused = Services.of(pair.far(), board.of(pair.far())).stream(
                        ServiceSpec.of("service"), TEXT, TEXT, text -> Flux.deferContextual(WatchedCallsTest::shown))
                .block(Patience.LIMIT);
        Ledger ledger = traced.ledger(new Books() {
            @Override
            public Mono<String> caller() {
                return Mono.deferContextual(WatchedCallsTest::shown);
            }
        });
        Context context = Context.of("tenant", "acme", "user", "ann", "role", "boss");

        for (Mono<String> call : List.of(
                pair.peer().ask("context", "?", TEXT, TEXT),
                pair.peer().stream("flow", "?", TEXT, TEXT).single(),
                pair.peer().stream("service", "?", TEXT, TEXT).single(),
                ledger.caller())) {
            assertThat(await(call.contextWrite(context))).isEqualTo("acme null null");
            assertThat(await(call.contextWrite(Context.of("tenant", 7)))).isEqualTo("null null null");
            assertThat(await(call.contextWrite(Context.of("tenant", "x".repeat(ContextEntries.LONGEST + 1)))))
                    .isEqualTo("null null null");
            assertThat(await(call)).isEqualTo("null null null");
        }
        traced.assertAllOver();
        assertThat(traced.spans().of("weir.server.calls", "port", "context"))
                .hasSize(4)
                .allMatch(span -> span.parent() > 0);
        assertThat(traced.spans().of("weir.server.calls", "port", "service"))
                .hasSize(4)
                .allMatch(span -> span.parent() > 0);
    }

    private static Mono<String> shown(ContextView context) {
        return Mono.just(context.getOrDefault("tenant", null) + " " + context.getOrDefault("user", null) + " "
                + context.getOrDefault("role", null));
    }

    @Test
    void whatAStrangerSendsAsContextIsBounded(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far().intercept(ContextEntries.of("tenant"));
        pair.far().answer("context", request -> {
            request.release();
            return Mono.deferContextual(WatchedCallsTest::shown).map(Message::of);
        });

        for (String value : List.of("two\nlines", "x".repeat(ContextEntries.LONGEST + 1), "é".repeat(400))) {
            Message request = Message.of("?").with("weir.context.tenant", value).with("weir.context.user", "ann");
            assertThat(Payloads.read(await(pair.peer().ask("context", request))))
                    .isEqualTo("null null null");
        }
        Message request = Message.of("?").with("weir.context.tenant", "acme");
        assertThat(Payloads.read(await(pair.peer().ask("context", request)))).isEqualTo("acme null null");
        assertThatThrownBy(ContextEntries::of).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ContextEntries.of(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ContextEntries.of("x".repeat(201))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRegistryThatObservesNothing(Nodes nodes) {
        Pair pair = nodes.pair();
        WeirObservations observations = new WeirObservations(ObservationRegistry.NOOP);
        CallDescription call = new CallDescription(CallKind.ASK, pair.peer(), "port", null);

        assertThat(observations.calling(call, Context.empty())).isNull();
        assertThat(observations.called(call, ControlData.empty())).isNull();
        // One without handlers is of that kind as well.
        assertThat(new WeirObservations(ObservationRegistry.create()).calling(call, Context.empty()))
                .isNull();
    }
}
