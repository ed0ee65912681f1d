package io.weir.transport.verbs;

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
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.rdma.SlotPlan;
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

/** How two loops of this process agree on a connection, or don't. Runs where there is a device: in a guest. */
@ExtendWith(Guest.class)
class VerbsAgreementInGuest {

    private static final Duration LONG = Duration.ofSeconds(30);

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
        LinkRequest request = new LinkRequest(card, card, connecting, loop, none, Guest.settings(Map.of()));
        return CompletableFuture.supplyAsync(() -> new VerbsTransport().prepare(request), loop)
                .join();
    }

    @Test
    void aHostileOfferEndsIt() {
        PendingLink here = agreement(near, true);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        PendingLink infiniband = agreement(near, true);
        byte[] offer = new VerbsOffer(LinkLayer.INFINIBAND, 3, 1, 5, new Gid(0, 0), 17, 0, new SlotPlan(32, 40 << 10))
                .encode();
        assertThatThrownBy(() -> infiniband.complete(offer).block(LONG))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("on ib, and ours on roce");
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUp() {
        PendingLink declined = agreement(near, true);
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
        PendingLink here = agreement(near, true);
        PendingLink there = agreement(far, false);
        run(near, () -> {
            var unused = here.complete(there.offer()).subscribe(link -> {}, failure -> {});
        });
        near.close().block(LONG);
        // The loop of this one ends with it open.
        assertThat(there.offer()).isNotEmpty();
    }

    private static void run(NettyLoop loop, Runnable task) {
        CompletableFuture.runAsync(task, loop).join();
    }
}
