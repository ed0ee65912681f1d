package io.weir.samples.files;

import io.weir.core.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler.Worker;
import reactor.core.scheduler.Schedulers;

/**
 * Writes a stream of messages into a file, from the memory in which they have come, and asks for the next one when one
 * is written. The file appears when the stream has ended, as a whole; if it fails or is cancelled, nothing is left of
 * it.
 */
final class Storing extends BaseSubscriber<Message> {

    /** Says where the file shall be. On a thread that may block. */
    @FunctionalInterface
    interface Place {

        /**
         * Called once.
         *
         * @param first the first message, which stays the caller's; null if there is none
         */
        Path of(@Nullable Message first) throws IOException;
    }

    /** A file that is being written, and what it is to be. */
    private record Partial(FileChannel file, Path path, Path target) {

        static Partial of(Path target) throws IOException {
            Path path = target.resolveSibling("." + UUID.randomUUID() + ".part");
            return new Partial(
                    FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), path, target);
        }

        void write(Message piece) throws IOException {
            ByteBuffer[] parts = piece.payload().nioBuffers();
            for (long left = piece.size(); left > 0; ) {
                left -= file.write(parts);
            }
        }

        long keep() throws IOException {
            try (file) {
                long size = file.size();
                Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
                return size;
            }
        }

        void drop() throws IOException {
            try (file) {
                Files.delete(path);
            }
        }
    }

    /** Pieces that may wait while one is written. */
    private static final int AHEAD = 8;

    private final Place place;
    private final MonoSink<Long> outcome;
    /** Whatever touches the file runs on it, in order, also the end: so no message is forgotten. */
    private final Worker disk = Schedulers.boundedElastic().createWorker();

    /** Nothing more is given to the disk. Guarded by this. */
    private boolean over;

    // On the disk's thread only.
    private @Nullable Partial partial;
    private @Nullable Throwable failure;

    private Storing(Place place, MonoSink<Long> outcome) {
        this.place = place;
        this.outcome = outcome;
    }

    /** Stores this; yields how many bytes it was. */
    static Mono<Long> of(Flux<Message> pieces, Place place) {
        return Mono.create(outcome -> {
            Storing storing = new Storing(place, outcome);
            outcome.onDispose(storing);
            pieces.subscribe(storing);
        });
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(AHEAD);
    }

    @Override
    protected void hookOnNext(Message piece) {
        if (!onDisk(() -> write(piece))) {
            piece.release();
        }
    }

    @Override
    protected void hookOnError(Throwable error) {
        var unused = onDisk(() -> failure = error);
    }

    @Override
    protected void hookFinally(SignalType signal) {
        var unused = onDisk(() -> end(signal == SignalType.ON_COMPLETE));
    }

    private synchronized boolean onDisk(Runnable task) {
        if (!over) {
            var unused = disk.schedule(task);
        }
        return !over;
    }

    private void write(Message piece) {
        try {
            if (failure == null) {
                begun(piece).write(piece);
                request(1);
            }
        } catch (IOException e) {
            failure = e;
            cancel();
        } finally {
            piece.release();
        }
    }

    private Partial begun(@Nullable Message first) throws IOException {
        Partial file = partial;
        if (file == null) {
            file = Partial.of(place.of(first));
            partial = file;
        }
        return file;
    }

    private void end(boolean complete) {
        synchronized (this) {
            over = true;
        }
        if (!complete || failure != null || !keep()) {
            drop();
        }
        // Behind what was accepted before.
        var unused = disk.schedule(disk::dispose);
    }

    private boolean keep() {
        try {
            outcome.success(begun(null).keep());
            return true;
        } catch (IOException e) {
            failure = e;
            return false;
        }
    }

    /** Who has cancelled asks for no reason. */
    private void drop() {
        try {
            if (partial != null) {
                partial.drop();
            }
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
        if (failure != null) {
            outcome.error(failure);
        }
    }
}
