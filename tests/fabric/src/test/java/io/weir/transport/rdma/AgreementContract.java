package io.weir.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How two loops of this process agree on a connection, or don't. Whoever extends it sees to it that nothing is left
 * behind.
 */
public abstract class AgreementContract {

    protected static final Duration LONG = Duration.ofSeconds(60);

    protected NettyLoop near;
    protected NettyLoop far;

    /** What they agree on a link of. */
    protected abstract Transport transport();

    /** What it is told. */
    protected abstract TransportSettings settings();

    @BeforeEach
    void begin() {
        near = NettyLoop.start("near", Waiting.BALANCED, true);
        far = NettyLoop.start("far", Waiting.BALANCED, true);
    }

    @AfterEach
    void end() {
        near.close().block(LONG);
        far.close().block(LONG);
    }

    protected PendingLink agreement(NettyLoop loop, boolean connecting) {
        PeerCard card =
                new PeerCard(new PeerId(UUID.randomUUID(), "peer", 1), "b", 5, "p", "host", 7, Map.of(), Map.of());
        Link none = (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Link.class}, (link, method, arguments) -> null);
        LinkRequest request = new LinkRequest(card, card, connecting, loop, none, settings());
        return CompletableFuture.supplyAsync(() -> transport().prepare(request), loop)
                .join();
    }

    protected static CompletableFuture<Link> begin(NettyLoop loop, PendingLink here, byte[] theirs) {
        CompletableFuture<Link> result = new CompletableFuture<>();
        run(loop, () -> {
            var unused = here.complete(theirs).subscribe(result::complete, result::completeExceptionally);
        });
        return result;
    }

    protected static void run(NettyLoop loop, Runnable task) {
        CompletableFuture.runAsync(task, loop).join();
    }

    @Test
    void aHostileOfferEndsIt() {
        PendingLink here = agreement(near, true);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUp() {
        for (boolean connecting : new boolean[] {true, false}) {
            PendingLink declined = agreement(near, connecting);
            run(near, declined::close);
            run(near, declined::close);
            assertThatThrownBy(() -> declined.complete(new byte[0]).block(LONG))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining("given up");
        }
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUpWhileItIsMade() {
        PendingLink here = agreement(near, true);
        PendingLink there = agreement(far, false);
        CompletableFuture<Link> result = new CompletableFuture<>();
        run(near, () -> {
            var unused = here.complete(there.offer()).subscribe(result::complete, result::completeExceptionally);
            // The other thread has begun, and its result finds nobody.
            here.close();
        });
        assertThatThrownBy(() -> Soon.await(result)).hasCauseInstanceOf(WeirException.class);
        run(far, there::close);
    }

    @Test
    void nothingIsLeftWhenTheLoopEndsWhileItIsMade() {
        for (boolean connecting : new boolean[] {true, false}) {
            NettyLoop ending = NettyLoop.start("ending", Waiting.BALANCED, true);
            PendingLink here = agreement(ending, connecting);
            PendingLink there = agreement(far, !connecting);
            var unused = begin(ending, here, there.offer());
            ending.close().block(LONG);
            // The loop of this one ends with it open.
            assertThat(there.offer()).isNotEmpty();
        }
    }
}
