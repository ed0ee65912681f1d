package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.path.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class ChannelWaiterTest {

    private final SessionPair pair = new SessionPair(NodeSpec.builder().build(), 16);
    private final List<Channel> got = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Channel> unwanted = new ArrayList<>();
    private final AtomicReference<Promise<Channel>> promised = new AtomicReference<>();

    ChannelWaiterTest() {
        pair.ports.serve("still", new ServeHandler(pair.ports, channel -> Mono.never()));
    }

    /** Waits for what the test does with the waiter. */
    private Disposable subscribe() {
        return Promise.mono(promised::set, unwanted::add).subscribe(got::add, failures::add);
    }

    private ChannelWaiter waiter() {
        return new ChannelWaiter(Objects.requireNonNull(promised.get()));
    }

    private void open(String port) {
        ChannelWaiter waiter = waiter();
        pair.client.open(port, 0, waiter, waiter::opened);
    }

    private void assertNoChannels() {
        assertThat(pair.client.channelCount()).isZero();
        assertThat(pair.server.channelCount()).isZero();
    }

    @AfterEach
    void end() {
        pair.end();
        assertThat(unwanted).isEmpty();
    }

    @Test
    void theChannelIsThereWhenThePeerHasAcceptedIt() {
        Disposable waiting = subscribe();
        open("still");
        assertThat(got).isEmpty();
        pair.loop.settle();
        assertThat(got).singleElement().returns("still", Channel::port);
        // It is the user's now.
        waiting.dispose();
        pair.loop.settle();
        assertThat(pair.server.channelCount()).isOne();
    }

    @Test
    void whatThePeerRefusesFails() {
        var unused = subscribe();
        open("nobody");
        pair.loop.settle();
        assertThat(failures).singleElement().isInstanceOf(Refused.class);
        assertNoChannels();
    }

    @Test
    void whatCanNotBeAskedForFailsAtOnce() {
        pair.client.lost(new SessionLost("gone"));
        var unused = subscribe();
        open("still");
        assertThat(failures).singleElement().isInstanceOf(SessionLost.class);
    }

    @Test
    void whoWaitsNoLongerGivesTheOpeningUp() {
        Disposable waiting = subscribe();
        open("still");
        waiting.dispose();
        pair.loop.settle();
        assertThat(got).isEmpty();
        assertNoChannels();
    }

    /** The peer has it, and its word is on its way. */
    @Test
    void theOpeningIsGivenUpAlsoWhileThePeerAccepts() {
        Disposable waiting = subscribe();
        open("still");
        while (pair.server.channelCount() == 0) {
            assertThat(pair.loop.turn()).isTrue();
        }
        assertThat(got).isEmpty();
        waiting.dispose();
        pair.loop.settle();
        assertThat(got).isEmpty();
        assertNoChannels();
    }

    @Test
    void whoHasGivenUpBeforeThereWasAChannelLeavesNone() {
        subscribe().dispose();
        open("still");
        pair.loop.settle();
        assertThat(got).isEmpty();
        assertNoChannels();
    }

    @Test
    void theFirstAnswerCounts() {
        Channel channel = pair.open("still");
        var unused = subscribe();
        ChannelWaiter waiter = waiter();
        waiter.opened(channel);
        Refused first = new Refused("no");
        waiter.refused(first);
        waiter.accepted();
        waiter.refused(new Refused("still no"));
        assertThat(failures).containsExactly(first);
        assertThat(got).isEmpty();
    }
}
