package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Turns;
import io.weir.core.Message;
import io.weir.core.SessionLost;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Sinks;

/** A thread that waits for a channel takes the loop's turns itself. */
class TurnsTest implements OnRoute {

    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    @Override
    public Route route() {
        return Route.SHM;
    }

    private static Message message() {
        return Message.of(Payloads.heap(8).writeLong(7));
    }

    @Test
    void stepsAndWhatComesAreOnTheThreadThatWaits(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("port");
        Turns turns = ends.near().turns();
        AtomicReference<Thread> ran = new AtomicReference<>();
        AtomicReference<Thread> seen = new AtomicReference<>();
        AtomicInteger came = new AtomicInteger();
        Sinks.Many<Message> source = Sinks.many().unicast().onBackpressureBuffer();
        var unusedEcho = ends.far().send(ends.far().receive()).subscribe();
        var unusedSend = ends.near().send(source.asFlux()).subscribe();
        ends.near().receive().subscribe(Probe.of(Long.MAX_VALUE, echoed -> {
            seen.set(Thread.currentThread());
            echoed.release();
            came.incrementAndGet();
        }));
        // Now and then the loop itself is quicker.
        Patience.until("an echo comes on the thread that waits for it", () -> {
            int before = came.get();
            Patience.until(
                    "the loop is free",
                    () -> turns.tryRun(() -> {
                        ran.set(Thread.currentThread());
                        source.tryEmitNext(message()).orThrow();
                    }));
            assertThat(ran).hasValue(Thread.currentThread());
            Patience.until("the echo", () -> turns.lookFor(() -> came.get() > before, LONG) || came.get() > before);
            return seen.get() == Thread.currentThread();
        });
        source.tryEmitComplete().orThrow();
    }

    @Test
    void othersAreNotHeldUpByWhoWaits(Nodes nodes) throws Exception {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("port");
        Turns turns = ends.near().turns();
        AtomicInteger looks = new AtomicInteger();
        CompletableFuture<Void> settled = new CompletableFuture<>();
        Thread waits = new Thread(() -> Patience.until("the others are done", () -> {
            looks.incrementAndGet();
            return turns.lookFor(settled::isDone, LONG) || settled.isDone();
        }));
        waits.start();
        Patience.until("it waits", () -> looks.get() > 0);
        for (int i = 0; i < 20; i++) {
            pair.settle();
        }
        settled.complete(null);
        waits.join();
        ends.near().close().block(Patience.LIMIT);
    }

    @Test
    void whereThePathDoesNotAllowItThereAreNone(Nodes nodes) {
        Pair pair = nodes.connect(
                nodes.start(Route.TCP.spec("near").build()),
                nodes.start(Route.TCP.spec("far").build()));
        Turns turns = pair.open("port").near().turns();
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            pair.settle();
            assertThat(turns.tryRun(runs::incrementAndGet)).isFalse();
            assertThat(turns.lookFor(() -> true, LONG)).isFalse();
        }
        assertThat(runs).hasValue(0);
    }

    /** Even where there is another path: nobody knows how much was done. */
    @Test
    void whatFailsHalfwayEndsTheConnection(Nodes nodes) {
        Pair pair = nodes.connect(
                nodes.start(Route.any("near").order("shm", "tcp").build()),
                nodes.start(Route.any("far").order("shm", "tcp").build()));
        Pair.Ends ends = pair.open("port");
        Turns turns = ends.near().turns();
        Probe<Message> receiving = Probe.releasing(Long.MAX_VALUE);
        ends.near().receive().subscribe(receiving);
        Patience.until(
                "the loop is free",
                () -> turns.tryRun(() -> {
                    throw new StackOverflowError("expected");
                }));
        assertThat(receiving.awaitError())
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("StackOverflowError: expected");
        Patience.until("nobody is connected", () -> pair.near().connected().isEmpty());
    }

    @Test
    void afterTheEndThereAreNone(Nodes nodes) {
        Pair pair = nodes.pair();
        Turns turns = pair.open("port").near().turns();
        pair.peer().close().block(Patience.LIMIT);
        assertThat(turns.tryRun(() -> {})).isFalse();
        assertThat(turns.lookFor(() -> true, LONG)).isFalse();
    }
}
