package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Repath;
import io.weir.core.Message;
import io.weir.core.Pollable;
import io.weir.core.SessionLost;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.transport.loop.NettyLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A loop that dies ends its node: everybody who uses it hears that, and nobody waits for ever. */
@Tag("one-jdk")
class LoopDeathTest implements OnRoute {

    private static final class Deadly implements Pollable {

        @Override
        public int poll() {
            throw new UnknownError("of a test");
        }

        @Override
        public boolean asleep() {
            return true;
        }

        @Override
        public void awake() {
            // Nobody sleeps any more.
        }
    }

    /** Does not connect anew, so that it hears of the end and not of what becomes of another connection. */
    private static NodeSpec.Builder staysAway(NodeSpec.Builder spec) {
        return spec.repath(Repath.OFF);
    }

    @Test
    void everybodyHearsIt(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.loops(2));
        var never = node.serve("never", channel -> Mono.never());
        var echo = node.serve("echo", channel -> channel.send(channel.receive()));
        var killer = node.answer("killer", request -> {
            request.release();
            NettyLoop.current().add(new Deadly());
            return Mono.never();
        });
        // One for each loop.
        Peer one = nodes.connect(nodes.start("one", LoopDeathTest::staysAway), node)
                .peer();
        Peer other = nodes.connect(nodes.start("other", LoopDeathTest::staysAway), node)
                .peer();
        // Open before anything ends: one that is opened later may meet a node that serves nothing any more.
        Channel ofOne = one.channel("never").block(Patience.LIMIT);
        Channel ofOther = other.channel("never").block(Patience.LIMIT);
        Channel talk = other.channel("echo").block(Patience.LIMIT);
        List<CompletableFuture<?>> waiting = List.of(
                ofOne.receive().then().toFuture(),
                ofOther.receive().then().toFuture(),
                talk.receive()
                        .mergeWith(talk.send(Flux.<Message>never()).then(Mono.empty()))
                        .then()
                        .toFuture());
        CompletableFuture<Message> asked = one.ask("killer", Message.of("now")).toFuture();
        node.closed().block(Patience.LIMIT);
        assertThat(node.failure()).isPresent();
        for (CompletableFuture<?> each : waiting) {
            assertThat(each).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(SessionLost.class);
        }
        assertThat(asked).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(SessionLost.class);
        assertThat(node.connected()).isEmpty();
    }

    @Test
    void aNodeThatIsClosedHasNotFailed(Nodes nodes) {
        Node node = nodes.start("node");
        node.close().block(Patience.LIMIT);
        assertThat(node.failure()).isEmpty();
    }
}
