package io.weir.benchmark.contender;

import io.netty.buffer.ByteBuf;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/** The server's end of a one-way cell: numbered messages without end, made when they are asked for. */
final class Stream {

    private Stream() {}

    /** @param memory gives an empty buffer with room for so many bytes */
    static Flux<ByteBuf> of(Cell cell, IntFunction<ByteBuf> memory) {
        Payload payload = new Payload(cell.size());
        return Flux.defer(() -> {
            long[] next = {0};
            return Flux.generate(sink -> sink.next(payload.writeTo(memory.apply(cell.size()), next[0]++)));
        });
    }
}
