package io.weir.transport.p4sock;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.stream.CardFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The path {@code p4sock}: messages directly on Ethernet, between hosts on one wire, without IP and TCP.
 *
 * <p>Options: {@code interface} (those that are on one subnet with the peer); {@code ring-size} (8m; from 256k to 256m)
 * of what the links of a loop receive into; {@code window} (4m; from 64k to 256m) of what may be on its way to us on
 * one link; {@code timeout} (2s; from 100ms to 2m) after which a peer that does not answer is lost.
 */
public final class P4Transport implements Transport {

    static final String NAME = "p4sock";

    /** Its users are the ServiceLoader and tests. */
    public P4Transport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return P4Options.NAMES;
    }

    /** Looks for interfaces, and whether the system lets us send and receive. */
    @Override
    public Availability availability(TransportSettings settings) {
        P4Options options = P4Options.of(settings);
        String missing = Posix.missing(settings);
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        try {
            // First, as it is the reason that has a remedy.
            missing = PacketSocket.refusal();
            if (missing != null) {
                return new Availability.Missing(missing);
            }
            List<EtherInterface> interfaces = Interfaces.find(options.networkInterface());
            P4Card card = P4Card.of(interfaces, !options.networkInterface().isEmpty());
            String details = interfaces.stream()
                    .limit(P4Card.MOST_PORTS)
                    .map(EtherInterface::toString)
                    .collect(Collectors.joining(", "));
            return new Availability.Ready(card.encode(), details + KernelFamily.remark());
        } catch (WeirException e) {
            return new Availability.Missing(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return CardFormat.separates(NAME, self, peer, P4Card::decode, P4Card::separates);
    }

    private static P4Card card(PeerCard of) {
        return P4Card.decode(of.ready().getOrDefault(NAME, ""));
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, NAME);
        P4Options options = P4Options.of(request.settings());
        P4Card ours = card(request.self());
        P4Card theirs = card(request.peer());
        P4Card.Pair pair = request.connecting() ? P4Card.pair(ours, theirs) : P4Card.pair(theirs, ours);
        if (pair == null) {
            throw new PeerUnavailable("no interfaces of both sides are on one wire");
        }
        P4Card.Port near = request.connecting() ? pair.connecting() : pair.accepting();
        P4Card.Port far = request.connecting() ? pair.accepting() : pair.connecting();
        // As it is now, since the card was made when the node started. A bridge has the address of one of its ports.
        boolean named = !options.networkInterface().isEmpty();
        EtherInterface on = Interfaces.find(options.networkInterface()).stream()
                .filter(each -> each.mac().equals(near.mac())
                        && (named || P4Card.Port.of(each).joins(far)))
                .findFirst()
                .orElseThrow(() -> new PeerUnavailable("the interface " + near.mac() + " is not there any more"));
        return P4Agreement.begin(request, loop, options, on, far);
    }
}
