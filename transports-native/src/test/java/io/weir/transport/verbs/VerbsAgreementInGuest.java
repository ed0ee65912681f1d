package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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

    /** Stands for the memory of a link, and closes what a link has. */
    private static final class Half implements LinkMaker.Half {

        private final ByteBuffer memory = Structures.allocate(4096);
        private final Domain.Registration registered;

        private Half(VerbsDevice device) {
            registered = device.register(Structures.address(memory), memory.capacity(), false);
        }

        static LinkMaker.Half make(VerbsDevice device, VerbsWire wire, VerbsOptions ours, VerbsOffer theirs) {
            Half half = new Half(device);
            wire.receive(Structures.address(half.memory), half.registered.localKey(), 4096);
            return half;
        }

        @Override
        public Link link(NettyLoop loop, VerbsWire wire, String peer) {
            assertThat(loop.inLoop()).isTrue();
            return (Link) Proxy.newProxyInstance(
                    Link.class.getClassLoader(), new Class<?>[] {Link.class}, (link, method, arguments) -> {
                        switch (method.getName()) {
                            case "close" -> {
                                wire.close();
                                close();
                            }
                            case "offer" ->
                                wire.send(Structures.address(memory), registered.localKey(), Long.BYTES, true);
                            case "wakeUps" -> {
                                int[] bytes = {0};
                                var unused = wire.poll(new OnlyReceived(length -> bytes[0] = length));
                                return (long) bytes[0];
                            }
                            default -> throw new UnsupportedOperationException(method.getName());
                        }
                        return method.getReturnType() == boolean.class ? true : null;
                    });
        }

        @Override
        public void close() {
            registered.close();
        }
    }

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

    private VerbsAgreement agreement(NettyLoop loop, LinkMaker maker) {
        PeerCard card =
                new PeerCard(new PeerId(UUID.randomUUID(), "peer", 1), "b", 5, "p", "host", 7, Map.of(), Map.of());
        Link none = (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Link.class}, (link, method, arguments) -> null);
        LinkRequest request = new LinkRequest(card, card, loop == near, loop, none, Guest.settings(Map.of()));
        return OnLoop.get(loop, () -> VerbsAgreement.begin(request, loop, maker));
    }

    @Test
    void bothSidesGetALink() {
        VerbsAgreement here = agreement(near, Half::make);
        VerbsAgreement there = agreement(far, Half::make);
        assertThat(here.offer()).isEqualTo(here.offer()).isNotEqualTo(there.offer());
        CompletableFuture<Link> first = here.complete(there.offer()).toFuture();
        CompletableFuture<Link> second = there.complete(here.offer()).toFuture();
        Link one = OnLoop.await(first);
        Link other = OnLoop.await(second);
        assertThat(OnLoop.get(near, () -> one.offer(null))).isTrue();
        OnLoop.until(() -> OnLoop.get(far, other::wakeUps) == Long.BYTES);
        OnLoop.run(near, here::close);
        OnLoop.run(near, one::close);
        OnLoop.run(far, other::close);
    }

    @Test
    void whatCanNotBeMadeEndsIt() {
        VerbsAgreement here = agreement(near, (device, wire, ours, theirs) -> {
            throw new PeerUnavailable("no memory today");
        });
        VerbsAgreement there = agreement(far, (device, wire, ours, theirs) -> {
            throw new IllegalStateException("a defect");
        });
        assertThatThrownBy(() -> here.complete(there.offer()).block(LONG))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("no memory today");
        assertThatThrownBy(() -> there.complete(here.offer()).block(LONG))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("a defect");
    }

    @Test
    void aHostileOfferEndsIt() {
        VerbsAgreement here = agreement(near, Half::make);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> here.complete(new byte[7]).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        VerbsAgreement infiniband = agreement(near, Half::make);
        byte[] offer = new VerbsOffer(LinkLayer.INFINIBAND, 3, 1, 5, new Gid(0, 0), 17, 0, 32, 40 << 10).encode();
        assertThatThrownBy(() -> infiniband.complete(offer).block(LONG))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("on ib, and ours on roce");
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUp() {
        VerbsAgreement declined = agreement(near, Half::make);
        OnLoop.run(near, declined::close);
        OnLoop.run(near, declined::close);
        assertThatThrownBy(() -> declined.complete(new byte[0]).block(LONG))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("given up");
    }

    @Test
    void nothingIsLeftOfOneThatIsGivenUpWhileItIsMade() {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch givenUp = new CountDownLatch(1);
        LinkMaker slow = (device, wire, ours, theirs) -> {
            making.countDown();
            OnLoop.await(givenUp);
            return Half.make(device, wire, ours, theirs);
        };
        VerbsAgreement here = agreement(near, slow);
        VerbsAgreement there = agreement(far, Half::make);
        CompletableFuture<Link> result = here.complete(there.offer()).toFuture();
        OnLoop.await(making);
        OnLoop.run(near, here::close);
        givenUp.countDown();
        assertThatThrownBy(() -> OnLoop.await(result)).hasCauseInstanceOf(WeirException.class);
        OnLoop.run(far, there::close);
    }

    @Test
    void nothingIsLeftWhenTheLoopEndsWhileItIsMade() {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        LinkMaker slow = (device, wire, ours, theirs) -> {
            making.countDown();
            OnLoop.await(ended);
            return Half.make(device, wire, ours, theirs);
        };
        VerbsAgreement here = agreement(near, slow);
        VerbsAgreement there = agreement(far, Half::make);
        CompletableFuture<Link> result = here.complete(there.offer()).toFuture();
        OnLoop.await(making);
        near.close().block(LONG);
        assertThatThrownBy(() -> OnLoop.await(result)).hasCauseInstanceOf(WeirException.class);
        ended.countDown();
        // The loop of this one ends with it open.
        assertThat(there.offer()).isNotEmpty();
    }
}
