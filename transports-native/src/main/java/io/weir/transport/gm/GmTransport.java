package io.weir.transport.gm;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.stream.CardFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * The path {@code gm}: Myrinet through GM 1 and 2. Messages go into buffers of the other side; long payloads out of the
 * link's allocator are written by the board from where they lie into the other side's memory, without a copy.
 *
 * <p>Options: {@code library} (the one that the system finds); {@code board} and {@code port} (the first that can be
 * opened); {@code slots} (32; from 8 to 1024) and {@code slot-size} (40k; from 36k to 1m) of what may be under way to
 * this side on a link; {@code pool-size} (64m; up to 1g) of memory for long payloads.
 */
public final class GmTransport implements Transport {

    static final String NAME = "gm";

    /** Its users are the ServiceLoader and tests. */
    public GmTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return GmOptions.NAMES;
    }

    /** Opens the port that would be used. */
    @Override
    public Availability availability(TransportSettings settings) {
        GmOptions options = GmOptions.of(settings);
        String missing = Posix.missing(settings);
        missing = missing == null ? Structures.missing("GM") : missing;
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        try {
            GmPort port = GmPort.acquire(options.choice());
            try {
                return new Availability.Ready(GmCard.encode(), port.details());
            } finally {
                port.release();
            }
        } catch (WeirException e) {
            return new Availability.Missing(String.valueOf(e.getMessage()));
        }
    }

    /** Reports nothing, as GM does not, but holds the port while somebody listens, so that no link has to open it. */
    @Override
    public Flux<Availability> reports(TransportSettings settings) {
        GmOptions options = GmOptions.of(settings);
        Flux<Availability> held =
                Flux.using(() -> GmPort.acquire(options.choice()), port -> Flux.never(), GmPort::release);
        return held.subscribeOn(Schedulers.boundedElastic());
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return CardFormat.separates(NAME, self, peer, GmCard::checked, (ours, theirs) -> null);
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, NAME);
        GmOptions options = GmOptions.of(request.settings());
        return RemoteAgreement.begin(request, loop, NAME, options.memory().poolBytes(), GmHalf.open(options));
    }
}
