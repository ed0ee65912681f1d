package io.weir.samples.manual;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.core.ContentView;
import io.weir.core.InPlaceCodec;
import io.weir.core.ProtocolMismatch;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Short values that need no message. */
final class Ticks {

    private Ticks() {}

    // tag::ticks
    record Tick(long instrument, long time, double price, int size) {

        static final InPlaceCodec<Tick> CODEC = new InPlaceCodec<>() {
            @Override
            public int length(Tick tick) {
                return 28;
            }

            @Override
            public void write(Tick tick, ContentView to) {
                to.putLong(0, tick.instrument);
                to.putLong(8, tick.time);
                to.putDouble(16, tick.price);
                to.putInt(24, tick.size);
            }

            @Override
            public Tick read(ContentView from) {
                if (from.length() != 28) {
                    throw new ProtocolMismatch("a tick of " + from.length() + " bytes");
                }
                return new Tick(from.getLong(0), from.getLong(8), from.getDouble(16), from.getInt(24));
            }
        };
    }
    // end::ticks

    static Disposable serve(Node node, Flux<Tick> ticks) {
        return node.serve("ticks", channel -> channel.send(ticks, Tick.CODEC));
    }

    static Flux<Tick> read(Channel channel) {
        return channel.receive(Tick.CODEC);
    }
}
