package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.ControlData;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;

class WatchingTest {

    private final List<String> happened = new ArrayList<>();

    private final IncomingCall watcher = new IncomingCall() {
        @Override
        public Context context(Context context) {
            return context.put("call", "of " + context.getOrDefault("caller", "nobody"));
        }

        @Override
        public Scope open() {
            happened.add("opened");
            return () -> happened.add("closed");
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            happened.add(outcome + (error == null ? "" : " " + error.getMessage()));
        }
    };

    /** As it is watched everywhere: by the interceptors of a node, which hear of the end once. */
    private final IncomingCall call = Objects.requireNonNull(Interceptors.and(null, new CallInterceptor() {
                @Override
                public IncomingCall called(CallDescription its, ControlData control) {
                    return watcher;
                }
            })
            .called(new CallDescription(CallKind.ASK, null, "port", null), ControlData.empty()));

    /** Asks for nothing by itself. */
    private final class Subscriber extends BaseSubscriber<String> {

        @Override
        protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
            // Asks later.
        }

        @Override
        protected void hookOnNext(String value) {
            happened.add("value " + value);
        }

        @Override
        protected void hookOnComplete() {
            happened.add("complete");
        }

        @Override
        protected void hookOnError(Throwable error) {
            happened.add("error " + error.getMessage());
        }

        @Override
        public Context currentContext() {
            return Context.of("caller", "me");
        }
    }

    private final Subscriber subscriber = new Subscriber();
    private final TestPublisher<String> work = TestPublisher.create();

    @Test
    void aCallHasEndedBeforeItsSubscriberGetsTheValue() {
        Watching.over(work.mono(), call).subscribe(subscriber);
        subscriber.request(1);
        assertThat(happened).isEmpty();
        work.emit("a");
        assertThat(happened).containsExactly("SUCCESS", "value a", "complete");
    }

    @Test
    void aCallThatYieldsNothingHasSucceeded() {
        Watching.over(Mono.<String>empty(), call).subscribe(subscriber);
        assertThat(happened).containsExactly("SUCCESS", "complete");
    }

    @Test
    void whatItFailsWithIsKnownBeforeTheSubscriberHearsOfIt() {
        Watching.over(work.flux(), call, false).subscribe(subscriber);
        work.error(new IllegalStateException("why"));
        assertThat(happened).containsExactly("ERROR why", "error why");
    }

    @Test
    void aStreamEndsWithItsEnd() {
        Watching.over(work.flux(), call, false).subscribe(subscriber);
        subscriber.request(2);
        work.assertMinRequested(2);
        work.next("a", "b");
        assertThat(happened).containsExactly("value a", "value b");
        work.complete();
        assertThat(happened).endsWith("SUCCESS", "complete");
    }

    /** A stage that yields one item is over with it, whatever follows. */
    @Test
    void whereOneItemIsAllTheCallEndsWithIt() {
        Watching.over(work.flux(), call, true).subscribe(subscriber);
        subscriber.request(1);
        work.next("a");
        subscriber.cancel();
        assertThat(happened).containsExactly("SUCCESS", "value a");
    }

    @Test
    void whoGivesUpEndsTheCallAndTheWork() {
        Watching.over(work.mono(), call).subscribe(subscriber);
        subscriber.cancel();
        work.assertCancelled();
        assertThat(happened).containsExactly("CANCELLED");
    }

    @Test
    void whatStandsBehindHasTheContextOfTheCall() {
        Flux<String> asks =
                Flux.deferContextual(context -> Flux.just(context.get("caller") + " " + context.get("call")));
        Watching.over(asks, call, false).subscribe(subscriber);
        subscriber.request(1);
        assertThat(happened).contains("value me of me");
    }

    @Test
    void aHandlerRunsWithinTheScopeOfItsCall() {
        String value = Watching.opened(call, () -> {
            happened.add("handler");
            return "a";
        });
        assertThat(value).isEqualTo("a");
        // It has returned, and the call goes on with what it has returned.
        assertThat(happened).containsExactly("opened", "handler", "closed");
    }

    @Test
    void aHandlerThatFailsEndsItsCall() {
        IllegalStateException why = new IllegalStateException("why");
        assertThatThrownBy(() -> Watching.opened(call, () -> {
                    throw why;
                }))
                .isSameAs(why);
        assertThat(happened).containsExactly("opened", "closed", "ERROR why");
    }
}
