package io.weir.benchmark.contender;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.ContentView;
import io.weir.core.InPlaceCodec;
import java.util.Arrays;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The same exchanges as {@link WeirContender}'s, of values whose codec needs neither a buffer nor a message. */
final class WeirValues {

    private WeirValues() {}

    /** A message's number; each pipeline uses one object for all, as nobody keeps it. */
    static final class Numbered {
        long number;
    }

    /** What {@link Payload} has: the number, and bytes that are always the same, of which the receiver reads none. */
    private static final class NumberedCodec implements InPlaceCodec<Numbered> {

        private final int size;
        private final byte[] rest;
        private final Numbered read = new Numbered();

        NumberedCodec(int size) {
            byte[] content = new Payload(size).content();
            this.size = size;
            this.rest = Arrays.copyOfRange(content, Long.BYTES, size);
        }

        @Override
        public int length(Numbered value) {
            return size;
        }

        @Override
        public void write(Numbered value, ContentView to) {
            to.putLong(0, value.number);
            to.putBytes(Long.BYTES, rest);
        }

        @Override
        public Numbered read(ContentView from) {
            read.number = from.getLong(0);
            return read;
        }
    }

    static Mono<Void> serve(Cell cell, Channel channel) {
        NumberedCodec codec = new NumberedCodec(cell.size());
        return channel.send(cell.scenario().isOneWay() ? endless() : channel.receive(codec), codec);
    }

    private static Flux<Numbered> endless() {
        return Flux.defer(() -> {
            Numbered value = new Numbered();
            value.number = -1;
            return Flux.generate(sink -> {
                value.number++;
                sink.next(value);
            });
        });
    }

    static void exchange(Channel channel, Cell cell, Meter meter, Pinning pinning) {
        NumberedCodec codec = new NumberedCodec(cell.size());
        Dialogue dialogue = new Dialogue(cell, meter, pinning, channel.allocator()::buffer);
        meter.begin();
        if (cell.scenario().isOneWay()) {
            Disposable unused = channel.receive(codec).subscribe(value -> dialogue.arrived(value.number), meter::fail);
            return;
        }
        Numbered next = new Numbered();
        Flux<Numbered> first = Flux.range(0, cell.outstanding()).map(i -> numbered(next, dialogue));
        Flux<Numbered> further = channel.receive(codec)
                .filter(reply -> dialogue.echoed(reply.number))
                .map(reply -> numbered(next, dialogue));
        Disposable unused = channel.send(Flux.concat(first, further), codec).subscribe(nothing -> {}, meter::fail);
    }

    static Disposable answer(Node serving, String port, Cell cell) {
        NumberedCodec codec = new NumberedCodec(cell.size());
        return serving.answer(port, codec, codec, Mono::just);
    }

    static void askAll(Peer peer, String port, Cell cell, Meter meter, Pinning pinning) {
        NumberedCodec codec = new NumberedCodec(cell.size());
        Dialogue dialogue = new Dialogue(cell, meter, pinning, peer.allocator()::buffer);
        meter.begin();
        for (int i = 0; i < cell.outstanding(); i++) {
            ask(peer, port, codec, dialogue, meter);
        }
    }

    private static void ask(Peer peer, String port, NumberedCodec codec, Dialogue dialogue, Meter meter) {
        Numbered request = new Numbered();
        request.number = dialogue.nextNumber();
        Disposable unused = peer.ask(port, request, codec, codec)
                .subscribe(
                        reply -> {
                            if (dialogue.replied(reply.number, request.number)) {
                                ask(peer, port, codec, dialogue, meter);
                            }
                        },
                        meter::fail);
    }

    private static Numbered numbered(Numbered next, Dialogue dialogue) {
        next.number = dialogue.nextNumber();
        return next;
    }
}
