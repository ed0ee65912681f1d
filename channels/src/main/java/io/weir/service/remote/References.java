package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The objects that a node has passed to its peers, which call them through a port of this class, and those that it was
 * passed. One for each node. Any thread.
 */
final class References implements ObjectTable {

    /** Served by a node from its first interface on that passes references. */
    static final String PORT = "weir.references";

    private final Node node;
    private final ConcurrentMap<Peer, PeerReferences> peers = new ConcurrentHashMap<>();
    private @Nullable Disposable serving;

    References(Node node) {
        this.node = node;
    }

    @Override
    public synchronized void serve() {
        if (serving == null) {
            serving = Disposables.composite(
                    Calls.answer(node, PORT, this::answer),
                    Calls.serve(node, PORT + CallLayout.STREAMS, this::channel));
        }
    }

    /** Serves the port no longer. */
    synchronized void close() {
        if (serving != null) {
            serving.dispose();
        }
    }

    @Override
    public int lend(Object object, ReferencePlace place, Peer to) {
        return of(to).lend(object, place);
    }

    @Override
    public void takeBack(Object object, ReferencePlace place, Peer from) {
        PeerReferences references = peers.get(from);
        if (references != null) {
            references.takeBack(object, place);
        }
    }

    @Override
    public void giveBack(int number, Peer to) {
        if (number > 0) {
            of(to).giveBack(number, 1);
        }
    }

    @Override
    public Object receive(int number, ReferencePlace place, Peer from) {
        return of(from).receive(number, place);
    }

    /** Until the connection ends. */
    private PeerReferences of(Peer peer) {
        PeerReferences known = peers.get(peer);
        if (known != null) {
            return known;
        }
        PeerReferences fresh = new PeerReferences(peer);
        PeerReferences earlier = peers.putIfAbsent(peer, fresh);
        if (earlier != null) {
            return earlier;
        }
        var unused = peer.paths().then().subscribe(null, null, () -> {
            peers.remove(peer, fresh);
            fresh.end();
        });
        return fresh;
    }

    private Mono<Message> answer(Peer from, Message request) {
        try {
            ByteBuf body = request.payload();
            CallLayout.Header header = CallLayout.readHeader(body);
            PeerReferences references = peers.get(from);
            if (header.kind() == CallLayout.DROP) {
                if (references != null) {
                    references.drop(header.object(), CallLayout.readInt(body));
                }
                return Mono.empty();
            }
            Served served = references == null ? null : references.lent(header.object());
            return header.kind() != CallLayout.CALL || served == null
                    ? Mono.just(unknown(header, from))
                    : served.call(from, header, body, request.control());
        } catch (ProtocolMismatch e) {
            return Mono.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        } finally {
            request.release();
        }
    }

    private Mono<Void> channel(Channel channel) {
        return IncomingItems.serve(channel, (call, items) -> stream(channel.peer(), call, items));
    }

    private Flux<Message> stream(Peer from, Message call, IncomingItems items) {
        try {
            CallLayout.Header header = CallLayout.readHeader(call.payload());
            PeerReferences references = peers.get(from);
            Served served = references == null ? null : references.lent(header.object());
            return served == null
                    ? Answers.only(() -> unknown(header, from))
                    : served.stream(from, header, call, items);
        } catch (ProtocolMismatch e) {
            return Answers.only(() -> Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        }
    }

    private static Message unknown(CallLayout.Header header, Peer to) {
        return Answers.refusal(
                CallLayout.REFUSED, "object " + header.object() + " was closed, or never passed to this peer", to);
    }
}
