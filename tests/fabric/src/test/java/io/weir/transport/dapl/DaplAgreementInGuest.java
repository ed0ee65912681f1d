package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.fabric.guest.DeviceCheck;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.rdma.Soon;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How two loops of this process agree on a connection, or don't. Runs where there is a provider with a device: in a guest. */
@ExtendWith({DeviceCheck.class, Guest.class})
class DaplAgreementInGuest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private NettyLoop near;
    private NettyLoop far;

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

    private static PendingLink agreement(NettyLoop loop, boolean connecting) {
        PeerCard card =
                new PeerCard(new PeerId(UUID.randomUUID(), "peer", 1), "b", 5, "p", "host", 7, Map.of(), Map.of());
        Link none = (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Link.class}, (link, method, arguments) -> null);
        LinkRequest request =
                new LinkRequest(card, card, connecting, loop, none, Guest.settings(Map.of("adapter", Guest.ADAPTER)));
        return CompletableFuture.supplyAsync(() -> new DaplTransport().prepare(request), loop)
                .join();
    }

    private static CompletableFuture<Link> begin(NettyLoop loop, PendingLink here, byte[] theirs) {
        CompletableFuture<Link> result = new CompletableFuture<>();
        run(loop, () -> {
            var unused = here.complete(theirs).subscribe(result::complete, result::completeExceptionally);
        });
        return result;
    }

    private static void run(NettyLoop loop, Runnable task) {
        CompletableFuture.runAsync(task, loop).join();
    }

    @Test
    void aHostileOfferEndsIt() {
        PendingLink here = agreement(near, true);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        // Both would wait for the other one to connect.
        PendingLink there = agreement(far, false);
        PendingLink other = agreement(near, false);
        assertThatThrownBy(() -> there.complete(other.offer()).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        run(near, other::close);
    }

    @Test
    void nothingIsLeftOfOneWhosePeerNeverComes() {
        PendingLink there = agreement(far, false);
        PendingLink here = agreement(near, true);
        CompletableFuture<Link> waiting = begin(far, there, here.offer());
        run(near, here::close);
        assertThat(waiting).isNotDone();
        run(far, there::close);
        assertThatThrownBy(() -> Soon.await(waiting))
                .hasCauseInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("given up");
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUp() {
        PendingLink declined = agreement(near, false);
        run(near, declined::close);
        run(near, declined::close);
        assertThatThrownBy(() -> declined.complete(new byte[0]).block(LONG))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("given up");
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
        PendingLink here = agreement(near, false);
        PendingLink there = agreement(far, true);
        var unused = begin(near, here, there.offer());
        near.close().block(LONG);
        // The loop of this one ends with it open.
        assertThat(there.offer()).isNotEmpty();
    }
}
