package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.TimedOut;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import reactor.core.publisher.Mono;

/**
 * Asks each peer once, before its first call, which interface it exports, and compares. Any thread.
 */
final class CalleeBindings implements Bindings {

    /** Far longer than a peer takes that is there. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Contract contract;
    private final Callees callees;
    private final ConcurrentMap<Callee, Binding> bound = new ConcurrentHashMap<>();
    private final ConcurrentMap<Callee, Mono<Binding>> binding = new ConcurrentHashMap<>();

    CalleeBindings(Contract contract, Callees callees) {
        this.contract = contract;
        this.callees = callees;
    }

    @Override
    public Mono<Binding> next() {
        // Whoever has its turn gets the call, also if it has to be bound first: chosen anew it would be somebody else's
        // turn.
        Callee ready = callees.ready();
        return ready == null ? callees.next().flatMap(this::of) : of(ready);
    }

    private Mono<Binding> of(Callee callee) {
        Binding known = bound.get(callee);
        return known != null ? known.ready() : binding.computeIfAbsent(callee, this::bind);
    }

    private Mono<Binding> bind(Callee callee) {
        return Mono.defer(() -> ask(callee))
                .timeout(LIMIT, Mono.error(() -> new TimedOut(callee + " has not told its interface within " + LIMIT)))
                .doOnNext(result -> keep(callee, result))
                .doFinally(signal -> binding.remove(callee))
                .cache();
    }

    /** Until it has left: an instance that comes and goes in the directory is another callee each time. */
    private void keep(Callee callee, Binding result) {
        bound.keySet().removeIf(Callee::hasLeft);
        bound.put(callee, result);
    }

    private Mono<Binding> ask(Callee callee) {
        Peer peer = callee.peer();
        ByteBuf request = peer.allocator().buffer();
        CallLayout.writeHeader(request, CallLayout.BIND, 0, 0, 0);
        CallLayout.writeText(request, contract.type().getName());
        return Calls.ask(peer, callee.port(), Message.of(request))
                .map(answer -> read(callee, answer))
                .switchIfEmpty(Mono.error(() -> new ProtocolMismatch(callee + " exports no interface")));
    }

    private Binding read(Callee callee, Message answer) {
        try {
            ByteBuf source = answer.payload();
            int outcome = source.readUnsignedByte();
            if (outcome != CallLayout.VALUE) {
                throw Replies.refusal(outcome, callee + ": " + CallLayout.readText(source));
            }
            return new Binding(
                    callee,
                    0,
                    Description.read(source)
                            .numbersOf(contract, callee.peer().id().toString()));
        } catch (IndexOutOfBoundsException e) {
            throw new ProtocolMismatch(callee + " exports no interface", e);
        } finally {
            answer.release();
        }
    }

    @Override
    public String toString() {
        return contract.name() + " of " + callees;
    }
}
