package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.done;
import static io.weir.transport.verbs.VerbsLibrary.functions;

import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.FunctionPointer;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import io.weir.transport.verbs.VerbsLayout.Access;
import io.weir.transport.verbs.VerbsLayout.Completion;
import io.weir.transport.verbs.VerbsLayout.Context;
import io.weir.transport.verbs.VerbsLayout.PairAttributes;
import io.weir.transport.verbs.VerbsLayout.Piece;
import io.weir.transport.verbs.VerbsLayout.ReceiveRequest;
import io.weir.transport.verbs.VerbsLayout.SendRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A reliable connection of libibverbs. Its requests are written into structures that were made once; the library copies
 * them before it returns. May be made and connected on another thread than the loop's, before the loop has it.
 */
final class VerbsWire implements Wire {

    /**
     * Completions taken at once: more would lie in more than a few cache lines, and one turn of a loop should be short.
     */
    private static final int BATCH = 16;

    /** One completion for so many messages, if none was asked for earlier. */
    private static final int UNREPORTED = 8;

    /** The kind of a request stands in the high bits of its number, which come back with its completion. */
    private static final int KIND_SHIFT = 60;

    private static final int RECEIVE = 1;
    private static final int SEND = 2;
    private static final int READ = 3;
    private static final long NUMBER = (1L << KIND_SHIFT) - 1;

    private static final int PSN_BITS = 0xffffff;
    private static final int HOP_LIMIT = 64;
    /** 0.64 ms, after which the peer tries again to send what found no slot: rare, as slots are counted. */
    private static final int RNR_TIMER = 12;
    /** For ever: a slot that is not ready is not a broken connection. */
    private static final int RNR_RETRY = 7;

    private final VerbsDevice device;
    private final DevicePort port;
    private final VerbsQueues queues;
    private final int maxInline;
    private final int psn = ThreadLocalRandom.current().nextInt() & PSN_BITS;

    private final FunctionPointer pollQueue;
    private final FunctionPointer requestEvent;
    private final FunctionPointer postSend;
    private final FunctionPointer postReceive;

    private final ByteBuffer piece = Structures.allocate(Piece.BYTES);
    private final ByteBuffer sendRequest = Structures.allocate(SendRequest.BYTES);
    private final ByteBuffer receiveRequest = Structures.allocate(ReceiveRequest.BYTES);
    private final ByteBuffer refused = Structures.allocate(Long.BYTES);
    private final ByteBuffer completions = Structures.allocate(BATCH * Completion.BYTES);
    private final ByteBuffer eventQueue = Structures.allocate(Long.BYTES);
    private final ByteBuffer eventUser = Structures.allocate(Long.BYTES);
    private final long sendAddress = Structures.address(sendRequest);
    private final long receiveAddress = Structures.address(receiveRequest);
    private final long refusedAddress = Structures.address(refused);
    private final long completionsAddress = Structures.address(completions);

    private int maxReads;
    /** Messages sent. */
    private long sent;
    /** The last one of which a completion will tell. */
    private long reported;
    /** Completions that were taken and not told of. */
    private int held;

    private boolean closed;

    private VerbsWire(VerbsDevice device, VerbsQueues queues) {
        this.device = device;
        this.port = device.port();
        this.queues = queues;
        this.maxInline = queues.maxInline();
        this.maxReads = device.limits().maxReads();
        ByteBuffer context = Structures.at(device.context(), Context.KNOWN);
        pollQueue = new FunctionPointer(context.getLong(Context.POLL_CQ));
        requestEvent = new FunctionPointer(context.getLong(Context.REQ_NOTIFY_CQ));
        postSend = new FunctionPointer(context.getLong(Context.POST_SEND));
        postReceive = new FunctionPointer(context.getLong(Context.POST_RECV));
        long pieceAddress = Structures.address(piece);
        sendRequest.putLong(SendRequest.PIECES, pieceAddress);
        receiveRequest.putLong(ReceiveRequest.PIECES, pieceAddress).putInt(ReceiveRequest.PIECE_COUNT, 1);
    }

    /**
     * Makes our half of a connection, which takes slots from now on. The domain is closed after it.
     *
     * @param receiveSlots how many slots may be ready
     * @param sendSlots how many messages may be sent without their completion being told
     * @throws io.weir.core.PeerUnavailable if the device refuses
     */
    static VerbsWire open(VerbsDomain domain, int receiveSlots, int sendSlots) {
        VerbsDevice device = domain.device();
        VerbsQueues queues = VerbsQueues.make(domain, receiveSlots, sendSlots);
        try {
            VerbsWire wire = new VerbsWire(device, queues);
            wire.initialise();
            return wire;
        } catch (WeirException e) {
            queues.close();
            throw e;
        }
    }

    private void initialise() {
        ByteBuffer attributes = Structures.allocate(PairAttributes.BYTES);
        attributes.putInt(PairAttributes.STATE, PairAttributes.INIT);
        attributes.put(PairAttributes.PORT, (byte) port.number());
        attributes.putInt(PairAttributes.ACCESS, Access.REMOTE_READ);
        modify("a connection can't be prepared on " + port, attributes, PairAttributes.INIT_MASK);
    }

    /** What the other side needs to join its half with ours. */
    VerbsOffer offer(SlotPlan plan) {
        return new VerbsOffer(
                port.layer(),
                port.mtu(),
                device.limits().maxReadsServed(),
                port.lid(),
                port.gid(),
                queuePairNumber(),
                psn,
                plan);
    }

    /** The number of our half; no other connection of this device has it. */
    int queuePairNumber() {
        return queues.number();
    }

    /**
     * Joins our half with the other one, which need not be joined yet. Takes milliseconds: the peer's address may have
     * to be looked for.
     *
     * @throws ProtocolMismatch if both are of different kinds
     * @throws io.weir.core.PeerUnavailable if the system or the device refuses
     */
    void connect(VerbsOffer theirs, VerbsOptions.Retries retries) {
        if (theirs.layer() != port.layer()) {
            throw new ProtocolMismatch("the peer's port is on " + theirs.layer().word() + ", and ours on "
                    + port.layer().word());
        }
        maxReads = Math.min(device.limits().maxReads(), theirs.maxReads());
        becomeReadyToReceive(theirs);
        becomeReadyToSend(retries);
    }

    private void becomeReadyToReceive(VerbsOffer theirs) {
        ByteBuffer attributes = Structures.allocate(PairAttributes.BYTES);
        attributes.putInt(PairAttributes.STATE, PairAttributes.READY_TO_RECEIVE);
        attributes.putInt(PairAttributes.PATH_MTU, Math.min(port.mtu(), theirs.mtu()));
        attributes.putInt(PairAttributes.DESTINATION, theirs.queuePair());
        attributes.putInt(PairAttributes.RECEIVE_PSN, theirs.psn());
        attributes.put(PairAttributes.MAX_READS_SERVED, (byte) device.limits().maxReadsServed());
        attributes.put(PairAttributes.MIN_RNR_TIMER, (byte) RNR_TIMER);
        attributes.put(PairAttributes.ADDRESS_PORT, (byte) port.number());
        String whom;
        if (port.layer() == LinkLayer.ROCE) {
            theirs.gid().put(attributes, PairAttributes.GID);
            attributes.put(PairAttributes.IS_GLOBAL, (byte) 1);
            attributes.put(PairAttributes.GID_INDEX, (byte) port.gidIndex());
            attributes.put(PairAttributes.HOP_LIMIT, (byte) HOP_LIMIT);
            whom = "GID " + theirs.gid();
        } else {
            attributes.putShort(PairAttributes.LID, (short) theirs.lid());
            whom = "LID " + theirs.lid();
        }
        modify("no connection from " + port + " to " + whom, attributes, PairAttributes.READY_TO_RECEIVE_MASK);
    }

    private void becomeReadyToSend(VerbsOptions.Retries retries) {
        ByteBuffer attributes = Structures.allocate(PairAttributes.BYTES);
        attributes.putInt(PairAttributes.STATE, PairAttributes.READY_TO_SEND);
        attributes.put(PairAttributes.TIMEOUT, (byte) retries.timeout());
        attributes.put(PairAttributes.RETRY_COUNT, (byte) retries.count());
        attributes.put(PairAttributes.RNR_RETRY, (byte) RNR_RETRY);
        attributes.putInt(PairAttributes.SEND_PSN, psn);
        attributes.put(PairAttributes.MAX_READS, (byte) maxReads);
        modify("the connection can't send", attributes, PairAttributes.READY_TO_SEND_MASK);
    }

    private void modify(String failure, ByteBuffer attributes, int mask) {
        done(failure, functions().ibv_modify_qp(queues.pair(), attributes, mask));
    }

    @Override
    public void receive(long address, int key, int bytes) {
        describe(address, key, bytes);
        receiveRequest.putLong(ReceiveRequest.ID, (long) RECEIVE << KIND_SHIFT);
        posted("a slot", postReceive.call(queues.pair(), receiveAddress, refusedAddress));
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        describe(address, key, bytes);
        long number = sent + 1;
        int flags = bytes <= maxInline ? SendRequest.INLINE : 0;
        if (report || number - reported == UNREPORTED) {
            flags |= SendRequest.SIGNALED;
            reported = number;
        }
        sendRequest.putInt(SendRequest.OPCODE, SendRequest.SEND);
        // Some devices take a piece without bytes for one of 2 GiB.
        post(SEND, number, bytes == 0 ? 0 : 1, flags);
        sent = number;
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        describe(address, key, bytes);
        sendRequest.putInt(SendRequest.OPCODE, SendRequest.RDMA_READ);
        sendRequest.putLong(SendRequest.REMOTE_ADDRESS, remoteAddress);
        sendRequest.putInt(SendRequest.RKEY, remoteKey);
        post(READ, Integer.toUnsignedLong(token), 1, SendRequest.SIGNALED);
    }

    private void describe(long address, int key, int bytes) {
        piece.putLong(Piece.ADDRESS, address).putInt(Piece.LENGTH, bytes).putInt(Piece.LKEY, key);
    }

    private void post(int kind, long number, int pieces, int flags) {
        sendRequest.putLong(SendRequest.ID, (long) kind << KIND_SHIFT | number);
        sendRequest.putInt(SendRequest.PIECE_COUNT, pieces);
        sendRequest.putInt(SendRequest.FLAGS, flags);
        posted(kind == SEND ? "a message" : "a read", postSend.call(queues.pair(), sendAddress, refusedAddress));
    }

    private static void posted(String what, int error) {
        if (error != 0) {
            throw new SessionLost(
                    "the connection does not take " + what + ": " + Posix.words(error < 0 ? Posix.lastError() : error));
        }
    }

    @Override
    public int maxReads() {
        return maxReads;
    }

    /** How long a message may be that is copied into the request, so that the device need not fetch it. */
    int maxInline() {
        return maxInline;
    }

    @Override
    public int poll(Completions to) {
        int count = held > 0 ? held : take();
        held = 0;
        for (int index = 0; index < count; index++) {
            int at = index * Completion.BYTES;
            if (completions.getInt(at + Completion.STATUS) != CompletionStatus.OK) {
                throw firstFailure(index, count);
            }
            long id = completions.getLong(at + Completion.ID);
            switch ((int) (id >>> KIND_SHIFT)) {
                case RECEIVE -> to.received(completions.getInt(at + Completion.LENGTH));
                case SEND -> to.sent(id & NUMBER);
                default -> to.read((int) id);
            }
        }
        return count;
    }

    /**
     * What has failed first may stand behind what only follows from it: each direction has its order, and both share a
     * queue.
     */
    private SessionLost firstFailure(int index, int count) {
        int at = index * Completion.BYTES;
        SessionLost failure = failure(at);
        boolean isCause = !CompletionStatus.isConsequence(completions.getInt(at + Completion.STATUS));
        int next = index + 1;
        int end = count;
        while (!isCause && end > 0) {
            for (; next < end && !isCause; next++) {
                int status = completions.getInt(next * Completion.BYTES + Completion.STATUS);
                if (status != CompletionStatus.OK && !CompletionStatus.isConsequence(status)) {
                    failure = failure(next * Completion.BYTES);
                    isCause = true;
                }
            }
            end = take();
            next = 0;
        }
        return failure;
    }

    private SessionLost failure(int at) {
        String doing = switch ((int) (completions.getLong(at + Completion.ID) >>> KIND_SHIFT)) {
            case RECEIVE -> "receiving";
            case SEND -> "sending";
            default -> "reading from the peer's memory";
        };
        return CompletionStatus.lost(
                doing, completions.getInt(at + Completion.STATUS), completions.getInt(at + Completion.VENDOR_ERROR));
    }

    private int take() {
        int count = pollQueue.call(queues.completions(), BATCH, completionsAddress);
        if (count < 0) {
            throw new SessionLost("the completions of a connection can't be read (" + count + ")");
        }
        return count;
    }

    @Override
    public boolean arm() {
        if (held > 0) {
            return false;
        }
        int error = requestEvent.call(queues.completions(), 0);
        if (error != 0) {
            throw new SessionLost("no event can be had of a connection: " + Posix.words(error));
        }
        // What came before the request makes no event.
        held = take();
        return held == 0;
    }

    @Override
    public int descriptor() {
        return queues.descriptor();
    }

    @Override
    public void awake() {
        int error = LibC.EINTR;
        while (error == LibC.EINTR) {
            error = takeEvents();
        }
        if (error != LibC.EAGAIN) {
            throw new SessionLost("the events of a connection can't be read: " + Posix.words(error));
        }
    }

    /** Returns why there are no more of them. */
    private int takeEvents() {
        while (functions().ibv_get_cq_event(queues.channel(), eventQueue, eventUser) == 0) {
            // What is not acknowledged could not be freed.
            functions().ibv_ack_cq_events(queues.completions(), 1);
        }
        return Posix.lastError();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            queues.close();
        }
    }
}
