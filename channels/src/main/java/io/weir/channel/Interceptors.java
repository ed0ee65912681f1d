package io.weir.channel;

import io.weir.core.ControlData;
import io.weir.core.RareLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The interceptors of a node, as one: whatever these do, each call goes on, and its end is reported once. Immutable.
 *
 * @param all in the order in which they were given
 */
record Interceptors(List<CallInterceptor> all) implements CallInterceptor {

    private static final RareLog FAILURES =
            new RareLog(LoggerFactory.getLogger(CallInterceptor.class), System::nanoTime);

    /** These and one more. */
    static Interceptors and(@Nullable Interceptors former, CallInterceptor more) {
        List<CallInterceptor> all = new ArrayList<>(former == null ? List.of() : former.all);
        all.add(more);
        return new Interceptors(List.copyOf(all));
    }

    @Override
    public @Nullable OutgoingCall calling(CallDescription call, ContextView context) {
        List<OutgoingCall> watching = null;
        for (int i = 0; i < all.size(); i++) {
            try {
                OutgoingCall each = all.get(i).calling(call, context);
                if (each != null) {
                    watching = with(each, watching);
                }
            } catch (Throwable t) {
                failed(t);
            }
        }
        return watching == null ? null : new Outgoing(watching);
    }

    @Override
    public @Nullable IncomingCall called(CallDescription call, ControlData control) {
        List<IncomingCall> watching = null;
        for (int i = 0; i < all.size(); i++) {
            try {
                IncomingCall each = all.get(i).called(call, control);
                if (each != null) {
                    watching = with(each, watching);
                }
            } catch (Throwable t) {
                failed(t);
            }
        }
        return watching == null ? null : new Incoming(watching);
    }

    private <T> List<T> with(T one, @Nullable List<T> others) {
        List<T> to = others == null ? new ArrayList<>(all.size()) : others;
        to.add(one);
        return to;
    }

    private static void failed(Throwable error) {
        FAILURES.warn("An interceptor of calls has failed: " + error);
    }

    private abstract static class Guarded<T extends WatchedCall> implements WatchedCall {

        final List<T> watching;
        private final AtomicBoolean ended = new AtomicBoolean();

        Guarded(List<T> watching) {
            this.watching = watching;
        }

        @Override
        public Context context(Context context) {
            Context made = context;
            for (int i = 0; i < watching.size(); i++) {
                try {
                    made = Objects.requireNonNull(watching.get(i).context(made), "context");
                } catch (Throwable t) {
                    failed(t);
                }
            }
            return made;
        }

        @Override
        public void ended(CallOutcome outcome, @Nullable Throwable error) {
            if (ended.compareAndSet(false, true)) {
                // The last one that was called at the beginning is the first one at the end.
                for (int i = watching.size() - 1; i >= 0; i--) {
                    try {
                        watching.get(i).ended(outcome, error);
                    } catch (Throwable t) {
                        failed(t);
                    }
                }
            }
        }
    }

    private static final class Outgoing extends Guarded<OutgoingCall> implements OutgoingCall {

        Outgoing(List<OutgoingCall> watching) {
            super(watching);
        }

        @Override
        public ControlData sending(CallDescription call, ControlData control) {
            ControlData made = control;
            for (int i = 0; i < watching.size(); i++) {
                try {
                    made = Objects.requireNonNull(watching.get(i).sending(call, made), "control");
                } catch (Throwable t) {
                    failed(t);
                }
            }
            return made;
        }
    }

    private static final class Incoming extends Guarded<IncomingCall> implements IncomingCall {

        Incoming(List<IncomingCall> watching) {
            super(watching);
        }

        @Override
        public Scope open() {
            return open(0);
        }

        private Scope open(int first) {
            Scope outer = opened(watching.get(first));
            if (first + 1 == watching.size()) {
                return outer;
            }
            Scope inner = open(first + 1);
            return () -> {
                inner.close();
                outer.close();
            };
        }

        private static Scope opened(IncomingCall call) {
            try {
                Scope scope = call.open();
                return () -> close(scope);
            } catch (Throwable t) {
                failed(t);
                return Scope.NOTHING;
            }
        }

        private static void close(Scope scope) {
            try {
                scope.close();
            } catch (Throwable t) {
                failed(t);
            }
        }
    }
}
