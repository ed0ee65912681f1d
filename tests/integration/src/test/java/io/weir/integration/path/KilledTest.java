package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.core.Message;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.integration.Stranger;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A node that is killed says as little as a process that has died, to whomever. */
class KilledTest implements OnRoute {

    /** One loop has ended its session while the other one still keeps the node from its end. */
    @Test
    void whoComesBackToASessionThatWasKilledHearsNothing(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.loops(2));
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        var blocking = far.answer("block", request -> {
            request.release();
            held.countDown();
            Patience.await("the loop goes on", goesOn);
            return Mono.empty();
        });
        Node near = nodes.start("near");
        CompletableFuture<Void> killed;
        try (Stranger stranger = Stranger.inSession(far.address())) {
            Patience.until("the session is there", () -> far.connected().size() == 1);
            Pair pair = nodes.connect(near, far);
            // One on each loop, as the two that are in session.
            try (Stranger one = stranger.again(far.address());
                    Stranger other = stranger.again(far.address())) {
                for (Stranger each : List.of(one, other)) {
                    each.greetAgain();
                }
                pair.peer().tell("block", Message.of("!")).block(Patience.LIMIT);
                Patience.await("a loop is held", held);

                killed = far.kill().toFuture();
                stranger.awaitEndWithoutAWord();
                List.of(one, other).forEach(each -> each.rejoinNow(stranger.sessionNumber));

                CompletableFuture<Void> oneEnds = silentEnd(one);
                CompletableFuture<Void> otherEnds = silentEnd(other);
                CompletableFuture.anyOf(oneEnds, otherEnds).join();
                assertThat(killed).isNotDone();
                goesOn.countDown();
                CompletableFuture.allOf(oneEnds, otherEnds).join();
            }
        } finally {
            goesOn.countDown();
        }
        Mono.fromFuture(killed).block(Patience.LIMIT);
    }

    private static CompletableFuture<Void> silentEnd(Stranger stranger) {
        return CompletableFuture.runAsync(stranger::awaitEndWithoutAWord, task -> new Thread(task).start())
                .orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void whoWaitsUntilItIsOpenHearsNothing() {
        Node far = Objects.requireNonNull(
                Node.prepare(Route.any("far").order("tcp").maxHandshakes(1).build())
                        .block(Patience.LIMIT));
        CompletableFuture<Void> killed;
        try (Stranger waiting = Stranger.connect(far.address())) {
            waiting.hello();
            try (Stranger next = Stranger.connect(far.address())) {
                // So the first one has come in.
                assertThat(next.refusal().text()).contains("is not open yet");
            }

            killed = far.kill().toFuture();

            waiting.awaitEndWithoutAWord();
        }
        Mono.fromFuture(killed).block(Patience.LIMIT);
    }
}
