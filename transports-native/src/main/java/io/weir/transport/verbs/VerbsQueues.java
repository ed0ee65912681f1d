package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.freed;
import static io.weir.transport.verbs.VerbsLibrary.functions;
import static io.weir.transport.verbs.VerbsLibrary.made;

import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.verbs.VerbsLayout.Channel;
import io.weir.transport.verbs.VerbsLayout.Pair;
import io.weir.transport.verbs.VerbsLayout.PairRequest;
import java.nio.ByteBuffer;

/**
 * What a connection has of the library, freed once, in reverse order.
 *
 * @param channel where the events of the completion queue are read
 * @param descriptor what that is to the system
 * @param completions the completion queue
 * @param pair the pair of queues for requests
 * @param number the pair's number
 * @param maxInline how long a message may be that is copied into its request
 */
record VerbsQueues(long channel, int descriptor, long completions, long pair, int number, int maxInline)
        implements AutoCloseable {

    /** A goodbye or a return of credit; more makes each request longer on most devices. */
    private static final int INLINE = 220;

    private static final String TOO_MANY =
            "; the device may have no more for us: look at rdma resource, and at the limit of open files (ulimit -n)";

    static VerbsQueues make(VerbsDomain domain, int receiveSlots, int sendSlots) {
        long channel = made(
                "no channel for the events of a connection",
                functions().ibv_create_comp_channel(domain.device().context()),
                TOO_MANY);
        try {
            int descriptor = Structures.at(channel, Channel.BYTES).getInt(Channel.FD);
            Posix.neverBlock(descriptor);
            return make(domain, channel, descriptor, receiveSlots, sendSlots);
        } catch (WeirException e) {
            freeChannel(channel);
            throw e;
        } catch (NativeFailure e) {
            freeChannel(channel);
            throw new PeerUnavailable("the events of a connection can't be read: " + e.getMessage(), e);
        }
    }

    private static VerbsQueues make(VerbsDomain domain, long channel, int descriptor, int receiveSlots, int sendSlots) {
        VerbsDevice device = domain.device();
        int entries = receiveSlots + device.limits().sendRequests(sendSlots);
        long completions = made(
                "no queue for " + entries + " completions",
                functions().ibv_create_cq(device.context(), entries, 0, channel, 0),
                TOO_MANY);
        try {
            ByteBuffer request = request(device, completions, receiveSlots, sendSlots);
            long pair = pair(domain, request);
            int number = Structures.at(pair, Pair.KNOWN).getInt(Pair.NUMBER);
            return new VerbsQueues(
                    channel, descriptor, completions, pair, number, request.getInt(PairRequest.MAX_INLINE));
        } catch (WeirException e) {
            freeCompletions(completions);
            throw e;
        }
    }

    private static ByteBuffer request(VerbsDevice device, long completions, int receiveSlots, int sendSlots) {
        ByteBuffer request = Structures.allocate(PairRequest.BYTES);
        request.putLong(PairRequest.SEND_QUEUE, completions).putLong(PairRequest.RECEIVE_QUEUE, completions);
        request.putInt(PairRequest.MAX_SENDS, device.limits().sendRequests(sendSlots));
        request.putInt(PairRequest.MAX_RECEIVES, receiveSlots);
        request.putInt(PairRequest.MAX_SEND_PIECES, 1).putInt(PairRequest.MAX_RECEIVE_PIECES, 1);
        request.putInt(PairRequest.MAX_INLINE, INLINE);
        return request.putInt(PairRequest.TYPE, PairRequest.RELIABLE_CONNECTION);
    }

    /** Writes into the request what the device has given. */
    private static long pair(VerbsDomain domain, ByteBuffer request) {
        long pair = functions().ibv_create_qp(domain.handle(), request);
        if (pair == 0 && Posix.lastError() == LibC.EINVAL) {
            // Not every device copies messages into requests.
            request.putInt(PairRequest.MAX_INLINE, 0);
            pair = functions().ibv_create_qp(domain.handle(), request);
        }
        return made("the device has no connection for us", pair, TOO_MANY);
    }

    @Override
    public void close() {
        freed("a connection", functions().ibv_destroy_qp(pair));
        freeCompletions(completions);
        freeChannel(channel);
    }

    private static void freeCompletions(long completions) {
        freed("a completion queue", functions().ibv_destroy_cq(completions));
    }

    private static void freeChannel(long channel) {
        freed("a completion channel", functions().ibv_destroy_comp_channel(channel));
    }
}
