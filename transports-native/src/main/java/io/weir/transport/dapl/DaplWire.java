package io.weir.transport.dapl;

import static io.weir.transport.dapl.DaplLibrary.functions;

import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.transport.dapl.DaplLayout.Completion;
import io.weir.transport.dapl.DaplLayout.Event;
import io.weir.transport.dapl.DaplLayout.Piece;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Wire;
import java.nio.ByteBuffer;

/**
 * A reliable connection of uDAPL. Its requests are written into structures that were made once; the provider copies
 * them before it returns. May be made and connected on another thread than the loop's, before the loop has it. Each
 * call is made under the adapter's lock, which nobody else wants but who registers memory for this link.
 */
final class DaplWire implements Wire {

    /** Events taken at once, so that one turn of a loop is short. */
    private static final int BATCH = 16;

    /** One event for so many messages, if none was asked for earlier. */
    private static final int UNREPORTED = 8;

    /** The kind of a request stands in the high bits of its cookie, which comes back with its event. */
    private static final int KIND_SHIFT = 60;

    private static final int RECEIVE = 1;
    private static final int SEND = 2;
    private static final int READ = 3;
    private static final long NUMBER = (1L << KIND_SHIFT) - 1;

    private final DaplEndpoint endpoint;
    private final DaplAdapter adapter;
    private final ByteBuffer piece = Structures.allocate(Piece.BYTES);
    private final ByteBuffer remote = Structures.allocate(Piece.BYTES);
    private final ByteBuffer event = Structures.allocate(Event.BYTES);
    private final ByteBuffer told = Structures.allocate(Event.BYTES);
    private final long pieceAddress = Structures.address(piece);
    private final long eventAddress = Structures.address(event);
    private final long toldAddress = Structures.address(told);

    private int maxReads;
    /** Messages sent. */
    private long sent;
    /** The last one of which an event will tell. */
    private long reported;
    /** The event was taken and not told of. */
    private boolean held;

    /**
     * What the provider has said about the connection as a whole, to be put behind other words; empty while it lasts.
     */
    private String over = "";

    private boolean closed;

    private DaplWire(DaplEndpoint endpoint) {
        this.endpoint = endpoint;
        this.adapter = endpoint.adapter();
        this.maxReads = adapter.maxReads();
    }

    /**
     * Makes our half of a connection, which takes slots from now on. The domain is closed after it.
     *
     * @param receiveSlots how many slots may be ready
     * @param sendSlots how many messages may be sent without their completion being told
     * @throws PeerUnavailable if the adapter has not so many, or refuses
     */
    static DaplWire open(DaplDomain domain, int receiveSlots, int sendSlots) {
        DaplAdapter adapter = domain.adapter();
        if (adapter.maxReads() < 1 || adapter.maxReadsServed() < 1) {
            throw new PeerUnavailable("the adapter " + adapter.name() + " can't read remote memory");
        }
        int requests = sendSlots + UNREPORTED + adapter.maxReads();
        if (receiveSlots > adapter.maxRequests()
                || requests > adapter.maxRequests()
                || receiveSlots + requests > adapter.maxEvents()) {
            throw new PeerUnavailable("the adapter " + adapter.name() + " takes " + adapter.maxRequests()
                    + " requests of a connection and " + adapter.maxEvents() + " events, too few for " + receiveSlots
                    + " slots; set weir.transport.dapl.slots lower");
        }
        return new DaplWire(new DaplEndpoint(domain, receiveSlots, requests));
    }

    DaplEndpoint endpoint() {
        return endpoint;
    }

    /** How many reads the peer serves at once. */
    void peerServes(int reads) {
        maxReads = Math.min(adapter.maxReads(), reads);
    }

    @Override
    public void receive(long address, int key, int bytes) {
        describe(piece, address, key, bytes);
        synchronized (adapter) {
            posted(
                    "a slot",
                    functions()
                            .dat_ep_post_recv(
                                    endpoint.handle(), 1, pieceAddress, (long) RECEIVE << KIND_SHIFT, Completion.TOLD));
        }
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        describe(piece, address, key, bytes);
        long number = sent + 1;
        boolean told = report || number - reported == UNREPORTED;
        synchronized (adapter) {
            posted(
                    "a message",
                    functions()
                            .dat_ep_post_send(
                                    endpoint.handle(),
                                    bytes == 0 ? 0 : 1,
                                    pieceAddress,
                                    (long) SEND << KIND_SHIFT | number,
                                    told ? Completion.TOLD : Completion.NOT_TOLD));
        }
        sent = number;
        reported = told ? number : reported;
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        describe(piece, address, key, bytes);
        describe(remote, remoteAddress, remoteKey, bytes);
        synchronized (adapter) {
            posted(
                    "a read",
                    functions()
                            .dat_ep_post_rdma_read(
                                    endpoint.handle(),
                                    1,
                                    pieceAddress,
                                    (long) READ << KIND_SHIFT | Integer.toUnsignedLong(token),
                                    remote,
                                    Completion.TOLD));
        }
    }

    private static void describe(ByteBuffer into, long address, int key, int bytes) {
        into.putLong(Piece.ADDRESS, address).putInt(Piece.LENGTH, bytes).putInt(Piece.CONTEXT, key);
    }

    private void posted(String what, int result) {
        if (result != DaplReturn.SUCCESS) {
            throw new SessionLost(
                    "the connection does not take " + what + ": " + DaplReturn.words(result) + whatHappened());
        }
    }

    @Override
    public int maxReads() {
        return maxReads;
    }

    @Override
    public int poll(Completions to) {
        int count = 0;
        while (count < BATCH && take()) {
            held = false;
            count++;
            long cookie = event.getLong(Event.DTO_COOKIE);
            int status = event.getInt(Event.DTO_STATUS);
            if (status != DtoStatus.OK) {
                throw firstFailure(cookie, status);
            }
            switch ((int) (cookie >>> KIND_SHIFT)) {
                case RECEIVE -> to.received(event.getInt(Event.DTO_LENGTH));
                case SEND -> to.sent(cookie & NUMBER);
                default -> to.read((int) cookie);
            }
        }
        return count;
    }

    /** Whether there is an event, in its structure then. */
    private boolean take() {
        if (held) {
            return true;
        }
        int result;
        synchronized (adapter) {
            result = functions().dat_evd_dequeue(endpoint.transfers(), eventAddress);
        }
        if (result == DaplReturn.SUCCESS) {
            return true;
        }
        if (DaplReturn.type(result) == DaplReturn.QUEUE_EMPTY) {
            return false;
        }
        throw new SessionLost("the events of a connection can't be read: " + DaplReturn.words(result));
    }

    /** What has failed first may stand behind what only follows from it. */
    private SessionLost firstFailure(long cookie, int status) {
        SessionLost failure = failure(cookie, status);
        boolean isCause = !DtoStatus.isConsequence(status);
        while (!isCause && take()) {
            int next = event.getInt(Event.DTO_STATUS);
            isCause = next != DtoStatus.OK && !DtoStatus.isConsequence(next);
            if (isCause) {
                failure = failure(event.getLong(Event.DTO_COOKIE), next);
            }
        }
        return failure;
    }

    private SessionLost failure(long cookie, int status) {
        String doing = switch ((int) (cookie >>> KIND_SHIFT)) {
            case RECEIVE -> "receiving";
            case SEND -> "sending";
            default -> "reading from the peer's memory";
        };
        return DtoStatus.lost(doing, status, whatHappened());
    }

    /** Whether the connection as a whole is no more. */
    private boolean isOver() {
        if (over.isEmpty()) {
            int result;
            synchronized (adapter) {
                result = functions().dat_evd_dequeue(endpoint.connections(), toldAddress);
            }
            if (result == DaplReturn.SUCCESS) {
                over = "; " + ConnectionEvent.words(told.getInt(Event.NUMBER));
            }
        }
        return !over.isEmpty();
    }

    private String whatHappened() {
        return isOver() ? over : "";
    }

    @Override
    public boolean arm() {
        if (held) {
            return false;
        }
        synchronized (adapter) {
            endpoint.awaitEvents();
        }
        // What came before makes no event.
        held = take();
        if (!held && isOver()) {
            // The peer's last messages came before its end, and may have come since we have looked.
            held = take();
            if (!held) {
                throw new SessionLost("the connection is lost" + over);
            }
        }
        return !held;
    }

    @Override
    public int descriptor() {
        return endpoint.event().number();
    }

    @Override
    public void awake() {
        try {
            Posix.clear(endpoint.event());
        } catch (NativeFailure e) {
            throw new SessionLost("the events of a connection can't be read: " + e.getMessage(), e);
        }
        synchronized (adapter) {
            endpoint.awake();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            endpoint.close();
        }
    }
}
