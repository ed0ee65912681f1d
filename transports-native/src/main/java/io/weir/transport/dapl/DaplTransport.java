package io.weir.transport.dapl;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.dapl.DaplRegistry.Entry;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.LockedMemory;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.stream.CardFormat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The path {@code dapl}: RDMA through uDAPL 2.0, whatever network its provider drives. Messages are sent by the adapter
 * itself into slots of the other side; long payloads out of the link's allocator are read from where they lie, without
 * a copy.
 *
 * <p>Options: {@code adapter} (the first of the registry that can be opened); {@code slots} (32; from 8 to 1024) and
 * {@code slot-size} (40k; from 36k to 1m) of what this side receives into; {@code pool-size} (64m; up to 1g) of memory
 * for long payloads.
 */
public final class DaplTransport implements Transport {

    static final String NAME = "dapl";

    /** Smaller than a page of any machine. */
    private static final int TRIAL = 4096;

    /** By the option, the adapter that could be opened: the others are not tried again for each link. */
    private static final Map<String, Entry> FOUND = new ConcurrentHashMap<>();

    /** Its users are the ServiceLoader and tests. */
    public DaplTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return DaplOptions.NAMES;
    }

    /** Opens the adapter that would be used, and registers some memory with it. */
    @Override
    public Availability availability(TransportSettings settings) {
        DaplOptions options = DaplOptions.of(settings);
        String missing = Posix.missing(settings);
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        try {
            // Most hosts have no registry, and need not load the library to know.
            DaplRegistry registry = DaplRegistry.read();
            missing = DaplLibrary.missing();
            return missing == null
                    ? attempt(options, registry)
                    : new Availability.Missing(missing + OldStacks.remark(OldStacks.FOLDERS));
        } catch (WeirException e) {
            return new Availability.Missing(e.getMessage() + OldStacks.remark(OldStacks.FOLDERS));
        }
    }

    private static Availability attempt(DaplOptions options, DaplRegistry registry) {
        LockedMemory.check(NAME, options.memory().lockedBytes());
        PeerUnavailable failure = null;
        for (Entry entry : registry.candidates(options.adapter())) {
            try {
                DaplAddress address = attempt(options, entry);
                FOUND.put(options.adapter(), entry);
                return new Availability.Ready(
                        new DaplCard(entry.kind()).encode(),
                        entry.name() + " on " + entry.device() + ", " + address + " (" + entry.kind() + ")");
            } catch (PeerUnavailable e) {
                failure = failure == null ? e : failure;
            }
        }
        return new Availability.Missing(
                failure == null ? "no adapter of uDAPL could be tried" : String.valueOf(failure.getMessage()));
    }

    /** A half of a link, and memory. Returns where the adapter is reached. */
    private static DaplAddress attempt(DaplOptions options, Entry entry) {
        DaplHalf half = DaplHalf.open(
                DaplAdapter.open(entry.name(), entry.safe()), options.memory().plan(), false, List.of());
        ByteBuffer memory = Structures.allocate(TRIAL);
        try (Domain.Registration registered = half.domain().register(Structures.address(memory), TRIAL, true)) {
            memory.putInt(0, registered.localKey());
            return half.address();
        } finally {
            half.wire().close();
            half.close();
        }
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return CardFormat.separates(NAME, self, peer, DaplCard::decode, DaplCard::separates);
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, NAME);
        DaplOptions options = DaplOptions.of(request.settings());
        Entry entry = FOUND.get(options.adapter());
        if (entry == null) {
            throw new PeerUnavailable("no adapter of uDAPL could be opened yet");
        }
        DaplHalf half = DaplHalf.open(
                DaplAdapter.open(entry.name(), entry.safe()),
                options.memory().plan(),
                request.connecting(),
                options.networks());
        return RemoteAgreement.begin(request, loop, NAME, options.memory().poolBytes(), half);
    }
}
