package io.weir.samples.files;

import io.weir.core.FileSource;
import io.weir.core.Message;
import java.io.IOException;
import java.util.concurrent.Callable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * A file, or a part of it, as a stream of messages, each of which is made when it is asked for. None of them is read
 * into our memory by this: that is for the path to do, if it has to.
 */
final class Pieces {

    /** One frame over TCP, so that nothing is joined at the other end; worth a block over shared memory. */
    static final int LENGTH = 64 << 10;

    private final FileSource file;
    private final long end;
    private long at;

    private Pieces(FileSource file, long from, long end) {
        this.file = file;
        this.at = from;
        this.end = end;
    }

    /** So many bytes from there on, or those that there are. */
    static Flux<Message> of(Callable<FileSource> open, long from, long length) {
        return Flux.<Message, Pieces>generate(() -> begin(open.call(), from, length), Pieces::next, Pieces::close)
                .subscribeOn(Schedulers.boundedElastic());
    }

    private static Pieces begin(FileSource file, long from, long length) throws IOException {
        long size = file.size();
        if (from < 0 || from > size || length < 0) {
            file.close();
            throw new IOException(length + " bytes from " + from + " on can't be read: the file has " + size);
        }
        return new Pieces(file, from, from + Math.min(length, size - from));
    }

    private Pieces next(SynchronousSink<Message> sink) {
        int length = (int) Math.min(LENGTH, end - at);
        try {
            if (length == 0) {
                sink.complete();
            } else {
                sink.next(Message.of(file.piece(at, length)));
                at += length;
            }
        } catch (IOException e) {
            sink.error(e);
        }
        return this;
    }

    private void close() {
        file.close();
    }
}
