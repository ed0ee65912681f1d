package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.ControlData;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

class InterceptorsTest {

    private final CallDescription call = new CallDescription(CallKind.ASK, null, "port", null);
    private final List<String> happened = new ArrayList<>();

    /** Watches both kinds of calls, and adds its name to whatever it can. */
    private class Named implements CallInterceptor, OutgoingCall, IncomingCall {

        final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public @Nullable OutgoingCall calling(CallDescription its, ContextView context) {
            happened.add(name + " calling");
            return this;
        }

        @Override
        public @Nullable IncomingCall called(CallDescription its, ControlData control) {
            happened.add(name + " called");
            return this;
        }

        @Override
        public ControlData sending(CallDescription its, ControlData control) {
            return control.with("by", control.get("by") + name);
        }

        @Override
        public Context context(Context context) {
            return context.put("by", context.getOrDefault("by", "") + name);
        }

        @Override
        public Scope open() {
            happened.add(name + " opened");
            return () -> happened.add(name + " closed");
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            happened.add(name + " " + outcome + (error == null ? "" : " " + error.getMessage()));
        }
    }

    /** Breaks its contract. */
    @SuppressWarnings("NullAway")
    private final class Nulls extends Named {

        Nulls() {
            super("nulls");
        }

        @Override
        public ControlData sending(CallDescription its, ControlData control) {
            return null;
        }

        @Override
        public Context context(Context context) {
            return null;
        }
    }

    /** Throws whatever it is asked once it watches a call. */
    private final class Failing extends Named {

        Failing() {
            super("failing");
        }

        @Override
        public ControlData sending(CallDescription its, ControlData control) {
            throw new IllegalStateException("sending");
        }

        @Override
        public Context context(Context context) {
            throw new IllegalStateException("context");
        }

        @Override
        public Scope open() {
            throw new IllegalStateException("open");
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            throw new IllegalStateException("ended");
        }
    }

    private static Interceptors all(CallInterceptor... given) {
        Interceptors all = null;
        for (CallInterceptor each : given) {
            all = Interceptors.and(all, each);
        }
        return Objects.requireNonNull(all);
    }

    private OutgoingCall outgoing(CallInterceptor... given) {
        return Objects.requireNonNull(all(given).calling(call, Context.empty()));
    }

    private IncomingCall incoming(CallInterceptor... given) {
        return Objects.requireNonNull(all(given).called(call, ControlData.empty()));
    }

    @Test
    void oneMoreLeavesTheFormerOnesAsTheyWere() {
        Named a = new Named("a");
        Named b = new Named("b");
        Interceptors one = Interceptors.and(null, a);
        Interceptors two = Interceptors.and(one, b);
        assertThat(one.all()).containsExactly(a);
        assertThat(two.all()).containsExactly(a, b);
    }

    @Test
    void theyAreCalledInTheirOrderAndEndInTheOppositeOne() {
        OutgoingCall out = outgoing(new Named("a"), new Named("b"));
        out.ended(CallOutcome.ERROR, new IllegalStateException("why"));
        assertThat(happened).containsExactly("a calling", "b calling", "b ERROR why", "a ERROR why");
    }

    @Test
    void theEndIsReportedOnce() {
        IncomingCall in = incoming(new Named("a"));
        in.ended(CallOutcome.SUCCESS, null);
        in.ended(CallOutcome.CANCELLED, null);
        in.ended(CallOutcome.SUCCESS, null);
        assertThat(happened).containsExactly("a called", "a SUCCESS");
    }

    @Test
    void eachAddsToWhatTheFormerOnesHaveAdded() {
        OutgoingCall out = outgoing(new Named("a"), new Named("b"));
        assertThat(out.sending(call, ControlData.of("by", "me")).get("by")).isEqualTo("meab");
        assertThat(out.context(Context.of("by", "me")).<String>get("by")).isEqualTo("meab");
    }

    @Test
    void aCallThatNobodyWatchesHasNoWatcher() {
        CallInterceptor none = new CallInterceptor() {};
        assertThat(all(none).calling(call, Context.empty())).isNull();
        assertThat(all(none).called(call, ControlData.empty())).isNull();
        outgoing(none, new Named("a"), none).ended(CallOutcome.SUCCESS, null);
        assertThat(happened).containsExactly("a calling", "a SUCCESS");
    }

    @Test
    void oneThatFailsAtTheBeginningIsLeftOut() {
        CallInterceptor failing = new CallInterceptor() {
            @Override
            public OutgoingCall calling(CallDescription its, ContextView context) {
                throw new IllegalStateException("calling");
            }

            @Override
            public IncomingCall called(CallDescription its, ControlData control) {
                throw new StackOverflowError();
            }
        };
        outgoing(failing, new Named("a")).ended(CallOutcome.SUCCESS, null);
        incoming(failing, new Named("b")).ended(CallOutcome.SUCCESS, null);
        assertThat(happened).containsExactly("a calling", "a SUCCESS", "b called", "b SUCCESS");
        assertThat(all(failing).calling(call, Context.empty())).isNull();
    }

    @Test
    void whatOneFailsWithKeepsNothingFromTheOthers() {
        OutgoingCall out = outgoing(new Named("a"), new Failing(), new Named("b"));
        assertThat(out.sending(call, ControlData.of("by", "me")).get("by")).isEqualTo("meab");
        assertThat(out.context(Context.of("by", "me")).<String>get("by")).isEqualTo("meab");
        out.ended(CallOutcome.CANCELLED, null);
        assertThat(happened).endsWith("b CANCELLED", "a CANCELLED");
    }

    @Test
    void whatOneDoesNotReturnStaysAsItIs() {
        OutgoingCall out = outgoing(new Named("a"), new Nulls(), new Named("b"));
        assertThat(out.sending(call, ControlData.of("by", "me")).get("by")).isEqualTo("meab");
        assertThat(out.context(Context.of("by", "me")).<String>get("by")).isEqualTo("meab");
    }

    @Test
    void scopesLieWithinEachOther() {
        try (IncomingCall.Scope unused =
                incoming(new Named("a"), new Named("b"), new Named("c")).open()) {
            happened.add("handler");
        }
        assertThat(happened)
                .containsSubsequence("a opened", "b opened", "c opened", "handler", "c closed", "b closed", "a closed")
                .hasSize(10);
    }

    @Test
    void aScopeThatFailsKeepsNothingFromTheOthers() {
        Named closesBadly = new Named("bad") {
            @Override
            public Scope open() {
                return () -> {
                    throw new IllegalStateException("close");
                };
            }
        };
        incoming(new Named("a"), closesBadly, new Failing(), new Named("b"))
                .open()
                .close();
        assertThat(happened).endsWith("a opened", "b opened", "b closed", "a closed");
    }
}
