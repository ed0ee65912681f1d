package io.weir.transport.rdma;

import java.util.function.IntConsumer;

/** Hears of messages, and of nothing else. */
public record OnlyReceived(IntConsumer lengths) implements Wire.Completions {

    @Override
    public void received(int bytes) {
        lengths.accept(bytes);
    }

    @Override
    public void sent(long number) {}

    @Override
    public void read(int token) {}
}
