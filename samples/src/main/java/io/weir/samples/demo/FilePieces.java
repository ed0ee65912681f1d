package io.weir.samples.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * A file as a stream of messages. Reads the next piece when it is asked for, and no earlier: the stream's demand is
 * what moves the file.
 */
final class FilePieces {

    /** Long enough to be worth a block of shared memory, short enough that a window of 4 MiB holds many. */
    static final int PIECE = 128 << 10;

    private final Path file;
    private final ByteBufAllocator allocator;
    private final IntConsumer onRead;
    private final Patience patience = new Patience();

    /**
     * Nothing is opened yet.
     *
     * @param allocator where the pieces are read into; a channel's own saves a copy
     * @param onRead hears of the size of every piece, on the thread that reads
     */
    FilePieces(Path file, ByteBufAllocator allocator, IntConsumer onRead) {
        this.file = file;
        this.allocator = allocator;
        this.onRead = onRead;
    }

    /** The pieces, in order, read on a thread that may block. For one subscriber. */
    Flux<Message> flux() {
        return Flux.generate(this::open, this::next, FilePieces::close)
                .doOnRequest(patience::asked)
                .doOnNext(piece -> patience.gave())
                .subscribeOn(Schedulers.boundedElastic());
    }

    /** How long the reader has stood still for want of demand. To be read when the stream has ended. */
    Patience patience() {
        return patience;
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    private FileChannel next(FileChannel channel, SynchronousSink<Message> sink) {
        ByteBuf piece = allocator.buffer(PIECE, PIECE);
        try {
            int size = piece.writeBytes(channel, PIECE);
            if (size < 0) {
                piece.release();
                sink.complete();
            } else {
                onRead.accept(size);
                sink.next(Message.of(piece));
            }
        } catch (IOException e) {
            piece.release();
            sink.error(new UncheckedIOException("reading " + file + " failed: " + e.getMessage(), e));
        }
        return channel;
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
