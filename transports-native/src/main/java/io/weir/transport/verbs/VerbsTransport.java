package io.weir.transport.verbs;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.LockedMemory;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.stream.CardFormat;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/**
 * The path {@code verbs}: InfiniBand, or RoCE on Ethernet, through libibverbs. Messages are sent by the adapter itself
 * into slots of the other side, without a system call on either; long payloads out of the link's allocator are read
 * from where they lie, without a copy.
 *
 * <p>Options: {@code device} and {@code port} (the first that is active), {@code gid-index} on Ethernet (the first of
 * RoCE v2 for an address of IPv4); {@code timeout} (14, for 67 ms) and {@code retry-count} (6): how long a peer may be
 * silent; {@code slots} (32; from 8 to 1024) and {@code slot-size} (40k; from 36k to 1m) of what this side receives
 * into; {@code pool-size} (64m; up to 1g) of memory for long payloads.
 */
public final class VerbsTransport implements Transport {

    static final String NAME = "verbs";

    /** Smaller than a page of any machine. */
    private static final int TRIAL = 4096;

    /** Its users are the ServiceLoader and tests. */
    public VerbsTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return VerbsOptions.NAMES;
    }

    /** Opens the device that would be used, and registers some memory with it. */
    @Override
    public Availability availability(TransportSettings settings) {
        VerbsOptions options = VerbsOptions.of(settings);
        String missing = VerbsLibrary.missing(settings);
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        try {
            return attempt(options);
        } catch (WeirException e) {
            return new Availability.Missing(String.valueOf(e.getMessage()));
        }
    }

    private static Availability attempt(VerbsOptions options) {
        VerbsDevice device = VerbsDevice.acquire(options.choice());
        try {
            DevicePort port = device.port();
            device.limits().check(port.device(), options);
            LockedMemory.check(NAME, options.memory().lockedBytes());
            ByteBuffer memory = Structures.allocate(TRIAL);
            try (VerbsDomain domain = VerbsDomain.open(device);
                    Domain.Registration registered = domain.register(Structures.address(memory), TRIAL, true)) {
                memory.putInt(0, registered.localKey());
            }
            return port.ready();
        } finally {
            device.release();
        }
    }

    /** Holds the device while somebody listens. */
    @Override
    public Flux<Availability> reports(TransportSettings settings) {
        VerbsOptions options = VerbsOptions.of(settings);
        // Who has not heard of a state yet need not hear of it after the next.
        return Flux.create(sink -> DeviceReports.begin(settings, options.choice(), sink), OverflowStrategy.LATEST);
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return CardFormat.separates(NAME, self, peer, VerbsCard::decode, VerbsCard::separates);
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, NAME);
        VerbsOptions options = VerbsOptions.of(request.settings());
        return RemoteAgreement.begin(request, loop, NAME, options.memory().poolBytes(), VerbsHalf.open(options));
    }
}
