package io.weir.transport.elan;

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

/**
 * The path {@code elan}: QsNetII through Quadrics' libelan, between processes of one parallel job. Messages are written
 * by the adapter into slots of the other side; long payloads out of the link's allocator are read from where they lie,
 * without a copy.
 *
 * <p>Options: {@code library} (the one that the system finds); {@code device}, a file that is there where the hardware
 * is (those that are known); {@code job}, a name that only the processes of our job have (the capability in the
 * environment); {@code slots} (32; from 8 to 1024) and {@code slot-size} (40k; from 36k to 1m) of what may be under way
 * to this side on a link; {@code pool-size} (64m; up to 1g) of memory for long payloads.
 */
public final class ElanTransport implements Transport {

    static final String NAME = "elan";

    /** Its users are the ServiceLoader and tests. */
    public ElanTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return ElanOptions.NAMES;
    }

    /** Joins the job, which this process does once, and never leaves. */
    @Override
    public Availability availability(TransportSettings settings) {
        ElanOptions options = ElanOptions.of(settings);
        String missing = Posix.missing(settings);
        missing = missing == null ? Structures.missing("libelan") : missing;
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        try {
            ElanJob job = ElanJob.join(options.choice());
            String card = new ElanCard(job.membership().jobDigest(options.job())).encode();
            return new Availability.Ready(card, job.details());
        } catch (WeirException e) {
            return new Availability.Missing(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return CardFormat.separates(NAME, self, peer, ElanCard::decode, ElanCard::separates);
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, NAME);
        ElanOptions options = ElanOptions.of(request.settings());
        return RemoteAgreement.begin(request, loop, NAME, options.memory().poolBytes(), ElanHalf.open(options));
    }
}
