package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An object whose interface peers call through a port. A peer binds first, by a request to the port itself, so that
 * a peer that may not use the port can't use the one for channels either. Any thread.
 */
final class RemoteExport implements Disposable {

    private final Served served;
    private final Consumer<? super Peer> gate;
    /** Who has bound, with what watches for its end. */
    private final ConcurrentMap<Peer, Disposable> bound = new ConcurrentHashMap<>();

    private final Disposable serving;
    private final Disposable untilClosed;

    RemoteExport(Node node, Served served, Consumer<? super Peer> gate) {
        this.served = served;
        this.gate = gate;
        Disposable requests = Calls.answer(node, served.service(), this::answer);
        try {
            this.serving = Disposables.composite(
                    requests, Calls.serve(node, served.service() + CallLayout.STREAMS, this::channel));
        } catch (RuntimeException e) {
            requests.dispose();
            throw e;
        }
        this.untilClosed = node.closed().subscribe(null, null, this::dispose);
    }

    private Mono<Message> answer(Peer from, Message request) {
        try {
            gate.accept(from);
            ByteBuf body = request.payload();
            CallLayout.Header header = CallLayout.readHeader(body);
            if (header.kind() == CallLayout.BIND) {
                return Mono.just(bind(from, CallLayout.readText(body)));
            }
            if (header.kind() != CallLayout.CALL || header.object() != 0) {
                throw new ProtocolMismatch("a request of kind " + header.kind() + " for object " + header.object());
            }
            return bound.containsKey(from)
                    ? served.call(from, header, body, request.control())
                    : Mono.just(unbound(from));
        } catch (ProtocolMismatch e) {
            return Mono.just(Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        } finally {
            request.release();
        }
    }

    private Message bind(Peer from, String type) {
        String ours = served.contract().type().getName();
        if (!type.equals(ours)) {
            return Answers.refusal(CallLayout.MALFORMED, "it exports " + ours + " and not " + type, from);
        }
        remember(from);
        ByteBuf answer = from.allocator().buffer();
        answer.writeByte(CallLayout.VALUE);
        Description.of(served.contract()).write(answer);
        return Message.of(answer);
    }

    private void remember(Peer from) {
        Disposable.Swap watching = Disposables.swap();
        if (bound.putIfAbsent(from, watching) == null) {
            var unused = watching.update(from.paths().then().subscribe(null, null, () -> bound.remove(from)));
        }
    }

    private Mono<Void> channel(Channel channel) {
        Peer from = channel.peer();
        gate.accept(from);
        if (!bound.containsKey(from)) {
            throw new Refused(from.id() + " has not bound to port '" + served.service() + "'");
        }
        return IncomingItems.serve(channel, (call, items) -> stream(from, call, items));
    }

    private Flux<Message> stream(Peer from, Message call, IncomingItems items) {
        try {
            CallLayout.Header header = CallLayout.readHeader(call.payload());
            return served.stream(from, header, call, items);
        } catch (ProtocolMismatch e) {
            return Answers.only(() -> Answers.refusal(CallLayout.MALFORMED, String.valueOf(e.getMessage()), from));
        }
    }

    private static Message unbound(Peer to) {
        return Answers.refusal(CallLayout.REFUSED, "this peer has not bound to the interface", to);
    }

    /** What was begun goes on, what comes is refused. */
    @Override
    public void dispose() {
        untilClosed.dispose();
        serving.dispose();
        bound.values().forEach(Disposable::dispose);
        served.terms().workers().close();
    }

    @Override
    public boolean isDisposed() {
        return serving.isDisposed();
    }
}
