package io.weir.benchmark.contender;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;
import io.weir.core.Codec;
import io.weir.core.Codecs;

/** What the codec alone takes for one call: both records written and read, without any way between. */
final class CodecContender implements Contender {

    private static final Codec<Order> ORDERS = Codecs.cbor(Order.class);
    private static final Codec<Quote> QUOTES = Codecs.cbor(Quote.class);

    private final Setup setup;

    CodecContender(Setup setup) {
        this.setup = setup;
    }

    @Override
    public String serve(Cell cell) {
        return "nowhere";
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        Conversation conversation = new Conversation(cell, meter, setup.pinning());
        meter.begin();
        Order order;
        do {
            order = conversation.next();
        } while (conversation.answered(order, copied(copied(order, ORDERS).quote(), QUOTES)));
        meter.await();
    }

    private static <T> T copied(T value, Codec<T> codec) {
        ByteBuf encoded = codec.encode(value, ByteBufAllocator.DEFAULT);
        try {
            return codec.decode(encoded);
        } finally {
            encoded.release();
        }
    }

    @Override
    public void close() {}
}
