package io.weir.transport.dapl;

import static io.weir.transport.dapl.DaplLibrary.done;
import static io.weir.transport.dapl.DaplLibrary.freed;
import static io.weir.transport.dapl.DaplLibrary.functions;

import io.weir.core.Network;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.transport.dapl.DaplLayout.Dispatcher;
import io.weir.transport.dapl.DaplLayout.Event;
import io.weir.transport.dapl.DaplLayout.Request;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RemoteAgreement;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Our half of a link over uDAPL, until it is connected. One side listens, for one connection; whoever connects shows
 * the nonce that stood in the offer, and everybody else is turned away.
 */
final class DaplHalf implements RemoteAgreement.Half {

    /** So long a wait lasts before it is seen that it is in vain: the library has nothing to end one early. */
    private static final int SLICE_MICROS = 100_000;

    /** Who connects gives up then; agreements are given up long before. */
    private static final int CONNECT_MICROS = 30_000_000;

    private static final int WAITING_REQUESTS = 16;

    private static final int STANDARD_SERVICE = 0;

    private final DaplDomain domain;
    private final DaplWire wire;
    private final SlotPlan plan;
    private final boolean connecting;
    private final List<Network> networks;
    private final Nonce nonce = Nonce.random();
    private final ByteBuffer event = Structures.allocate(Event.BYTES);
    private final ByteBuffer more = Structures.allocate(Integer.BYTES);

    /** Where requests to connect arrive, and what listens for them; none on the side that connects. */
    private long requests = DaplLayout.NONE;

    private long listener = DaplLayout.NONE;
    private long qualifier;

    private @Nullable DaplOffer theirs;
    private volatile boolean givenUp;

    private DaplHalf(DaplDomain domain, DaplWire wire, SlotPlan plan, boolean connecting, List<Network> networks) {
        this.domain = domain;
        this.wire = wire;
        this.plan = plan;
        this.connecting = connecting;
        this.networks = networks;
    }

    /**
     * Makes it on an adapter, which belongs to it from here on, also if this fails.
     *
     * @param networks where the configuration says that adapters of peers may be, besides the network of ours
     * @throws WeirException if the provider refuses
     */
    static DaplHalf open(DaplAdapter adapter, SlotPlan plan, boolean connecting, List<Network> networks) {
        DaplDomain domain = DaplDomain.open(adapter);
        DaplWire wire;
        try {
            // A slot of ours for each of the peer's, as far as we have as many.
            wire = DaplWire.open(domain, plan.slots(), plan.slots());
        } catch (WeirException e) {
            domain.close();
            throw e;
        }
        DaplHalf half = new DaplHalf(domain, wire, plan, connecting, networks);
        try {
            if (!connecting) {
                half.listen(adapter);
            }
            return half;
        } catch (WeirException e) {
            wire.close();
            half.close();
            throw e;
        }
    }

    private void listen(DaplAdapter adapter) {
        ByteBuffer handle = Structures.allocate(Long.BYTES);
        ByteBuffer place = Structures.allocate(Long.BYTES);
        synchronized (adapter) {
            done(
                    "the adapter " + adapter.name() + " gives no queue for those who connect",
                    functions()
                            .dat_evd_create(
                                    adapter.handle(), WAITING_REQUESTS, DaplLayout.NONE, Dispatcher.REQUESTS, handle));
            requests = handle.getLong(0);
            done(
                    "the adapter " + adapter.name() + " can't be listened on",
                    functions().dat_psp_create_any(adapter.handle(), place, requests, 0, handle));
            listener = handle.getLong(0);
            qualifier = place.getLong(0);
        }
    }

    /** Where our adapter is reached. */
    DaplAddress address() {
        return domain.adapter().address();
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public Wire wire() {
        return wire;
    }

    @Override
    public SlotPlan plan() {
        return plan;
    }

    @Override
    public byte[] offer() {
        DaplAdapter adapter = domain.adapter();
        return new DaplOffer(adapter.address(), adapter.maxReadsServed(), qualifier, nonce, plan).encode();
    }

    @Override
    public SlotPlan read(byte[] offer) {
        DaplOffer read = DaplOffer.decode(offer, connecting);
        if (connecting && !address().reaches(read.address(), networks)) {
            // Else a peer could use us to look around in our network: some providers connect over TCP.
            throw new PeerUnavailable(
                    "the peer's adapter at " + read.address() + " is not on the network of ours, which is at "
                            + address() + "; if it is the peer's, name its network in weir.transport.dapl.networks");
        }
        theirs = read;
        return read.plan();
    }

    @Override
    public void join() {
        DaplOffer other = theirs;
        if (other == null) {
            throw new IllegalStateException("joined before the peer's offer was read");
        }
        wire.peerServes(other.maxReads());
        if (connecting) {
            connect(other);
        } else {
            accept();
            stopListening();
        }
        awaitConnection(other);
    }

    private void connect(DaplOffer to) {
        ByteBuffer address = Structures.allocate(DaplAddress.BYTES);
        var unused = to.address().put(address.duplicate());
        ByteBuffer shown = Structures.allocate(Nonce.BYTES);
        shown.put(0, to.nonce().bytes());
        synchronized (domain.adapter()) {
            done(
                    "no connection to " + to.address(),
                    functions()
                            .dat_ep_connect(
                                    wire.endpoint().handle(),
                                    address,
                                    to.qualifier(),
                                    CONNECT_MICROS,
                                    Nonce.BYTES,
                                    shown,
                                    STANDARD_SERVICE,
                                    0));
        }
    }

    /** Returns when the one who has our offer was let in. */
    private void accept() {
        boolean accepted = false;
        while (!accepted) {
            int number = await(requests);
            if (number != ConnectionEvent.REQUEST) {
                throw new ProtocolMismatch(
                        "the provider tells " + ConnectionEvent.words(number) + " where it should tell who connects");
            }
            long request = event.getLong(Event.REQUEST);
            synchronized (domain.adapter()) {
                accepted = showsNonce(request);
                if (accepted) {
                    done(
                            "the peer can't be let in",
                            functions().dat_cr_accept(request, wire.endpoint().handle(), 0, 0));
                } else {
                    freed("a request of a stranger", functions().dat_cr_reject(request, 0, 0));
                }
            }
        }
    }

    /** What comes along may be longer than what was sent. */
    private boolean showsNonce(long request) {
        ByteBuffer parameters = Structures.allocate(Request.BYTES);
        done("a request to connect can't be read", functions().dat_cr_query(request, Request.ALL, parameters));
        int size = parameters.getInt(Request.PRIVATE_SIZE);
        long data = parameters.getLong(Request.PRIVATE_DATA);
        byte[] shown = new byte[Nonce.BYTES];
        if (data != 0 && size >= shown.length) {
            Structures.at(data, shown.length).get(0, shown);
        }
        return nonce.matches(shown);
    }

    private void awaitConnection(DaplOffer other) {
        int number = await(wire.endpoint().connections());
        if (ConnectionEvent.of(number) != ConnectionEvent.ESTABLISHED) {
            throw new PeerUnavailable("no connection with " + other.address() + ": " + ConnectionEvent.words(number));
        }
    }

    /** Waits for an event, and returns its number. */
    private int await(long dispatcher) {
        while (!givenUp) {
            // Not under the lock: nobody could register memory meanwhile, and one waiter is what the library allows.
            int result = functions().dat_evd_wait(dispatcher, SLICE_MICROS, 1, event, more);
            if (result == DaplReturn.SUCCESS) {
                return event.getInt(Event.NUMBER);
            }
            int type = DaplReturn.type(result);
            if (type != DaplReturn.TIMEOUT_EXPIRED && type != DaplReturn.INTERRUPTED_CALL) {
                done("a connection can't be waited for", result);
            }
        }
        throw new PeerUnavailable("the connection was given up");
    }

    @Override
    public void giveUp() {
        givenUp = true;
    }

    private void stopListening() {
        synchronized (domain.adapter()) {
            if (listener != DaplLayout.NONE) {
                freed("what listens", functions().dat_psp_free(listener));
                listener = DaplLayout.NONE;
                // Who came too late, or is a stranger.
                while (functions().dat_evd_dequeue(requests, Structures.address(event)) == DaplReturn.SUCCESS) {
                    freed("a request", functions().dat_cr_reject(event.getLong(Event.REQUEST), 0, 0));
                }
            }
            if (requests != DaplLayout.NONE) {
                freed("a queue of requests", functions().dat_evd_free(requests));
                requests = DaplLayout.NONE;
            }
        }
    }

    @Override
    public void close() {
        stopListening();
        domain.close();
    }
}
