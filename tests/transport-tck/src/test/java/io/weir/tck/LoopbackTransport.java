package io.weir.tck;

import io.weir.core.Availability;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.LinkMemory;
import io.weir.transport.rdma.RegisteredPool;
import io.weir.transport.rdma.RemoteLink;
import io.weir.transport.rdma.SlotPlan;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The path {@code loopback}: options {@code slots}, {@code slot-size} and {@code pool-size} as its real siblings have
 * them.
 */
public final class LoopbackTransport implements Transport {

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<Long, Half> OPEN = new ConcurrentHashMap<>();

    /** Its users are the ServiceLoader. */
    public LoopbackTransport() {}

    @Override
    public String name() {
        return "loopback";
    }

    @Override
    public Set<String> options() {
        return Set.of("slots", "slot-size", "pool-size");
    }

    @Override
    public Availability availability(TransportSettings settings) {
        String missing = Posix.missing(settings);
        return missing == null ? new Availability.Ready() : new Availability.Missing(missing);
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return self.process().equals(peer.process()) ? null : peer.id() + " is another process";
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        return new Half(request);
    }

    private static final class Half implements PendingLink {

        private static final int OFFER = 3 * Long.BYTES;

        private final long number = NUMBERS.incrementAndGet();
        private final NettyLoop loop;
        private final String peer;
        private final SlotPlan plan;
        private final int poolBytes;
        private final LoopbackDomain domain = new LoopbackDomain();
        private final boolean connecting;
        private @Nullable LoopbackWire wire;
        private boolean done;

        Half(LinkRequest request) {
            TransportSettings settings = request.settings();
            this.loop = (NettyLoop) request.loop();
            this.peer = request.peer().id().toString();
            this.connecting = request.connecting();
            this.plan = new SlotPlan(
                    settings.size("slots", 32, SlotPlan.LEAST_SLOTS, SlotPlan.MOST_SLOTS),
                    settings.size("slot-size", 40 << 10, SlotPlan.LEAST_BYTES, SlotPlan.MOST_BYTES));
            this.poolBytes = settings.size("pool-size", 16 << 20, 0, 1 << 30);
            OPEN.put(number, this);
        }

        @Override
        public byte[] offer() {
            return ByteBuffer.allocate(OFFER)
                    .putLong(number)
                    .putLong(plan.slots())
                    .putLong(plan.slotBytes())
                    .array();
        }

        @Override
        public Mono<Link> complete(byte[] theirs) {
            return Mono.<Link>create(sink -> {
                try {
                    if (done) {
                        throw new PeerUnavailable("this half was closed");
                    }
                    done = true;
                    Link link = join(theirs);
                    sink.success(link);
                } catch (WeirException e) {
                    OPEN.remove(number);
                    sink.error(e);
                }
            });
        }

        private Link join(byte[] theirs) {
            if (theirs.length != OFFER) {
                throw new ProtocolMismatch("an offer of " + theirs.length + " bytes");
            }
            ByteBuffer offer = ByteBuffer.wrap(theirs);
            Half other = OPEN.get(offer.getLong());
            SlotPlan their = plan(offer);
            if (other == null || other == this || other.connecting == connecting) {
                throw new PeerUnavailable("the other half is not there");
            }
            LoopbackWire ours = meet(other);
            LinkMemory memory = LinkMemory.make(domain, plan, their, 0);
            memory.makeReady(ours);
            return new RemoteLink(
                    "loopback",
                    loop,
                    peer,
                    ours,
                    memory,
                    new RegisteredPool(domain, poolBytes),
                    () -> OPEN.remove(number));
        }

        private static SlotPlan plan(ByteBuffer offer) {
            try {
                return new SlotPlan((int) offer.getLong(), (int) offer.getLong());
            } catch (IllegalArgumentException e) {
                throw new ProtocolMismatch("the peer offers what can't be: " + e.getMessage());
            }
        }

        private LoopbackWire meet(Half other) {
            synchronized (OPEN) {
                LoopbackWire mine = wire;
                if (mine == null) {
                    Object lock = new Object();
                    mine = LoopbackWire.open(domain, lock);
                    LoopbackWire its = LoopbackWire.open(other.domain, lock);
                    mine.join(its);
                    other.wire = its;
                    wire = mine;
                }
                return mine;
            }
        }

        @Override
        public void close() {
            if (!done) {
                done = true;
                OPEN.remove(number);
                synchronized (OPEN) {
                    if (wire != null) {
                        wire.close();
                    }
                }
            }
        }
    }
}
