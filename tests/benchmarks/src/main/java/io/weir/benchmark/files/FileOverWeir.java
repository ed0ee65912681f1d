package io.weir.benchmark.files;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.FileSource;
import io.weir.core.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Reads a file of another process over whatever path the configuration says, in the pieces of the file service among
 * the samples.
 */
public final class FileOverWeir {

    private static final int PIECE = 64 << 10;

    private FileOverWeir() {}

    public static void main(String[] arguments) throws IOException {
        Node node = Objects.requireNonNull(Node.start(NodeSpec.fromSystem()).block());
        if (arguments[0].equals("server")) {
            Path file = Path.of(arguments[1]);
            var unused = node.serve(
                    "file",
                    channel -> channel.receive().next().flatMap(request -> {
                        request.release();
                        return channel.send(pieces(file));
                    }));
            Reads.serve(node.address().toString());
        } else {
            Peer peer = Objects.requireNonNull(node.connect(arguments[1]).block());
            Reads.client(() -> Objects.requireNonNull(peer.stream("file", Message.of("all"))
                    .map(FileOverWeir::taken)
                    .reduce(0L, Long::sum)
                    .block()));
        }
    }

    private static Flux<Message> pieces(Path file) {
        return Flux.using(() -> FileSource.open(file), FileOverWeir::pieces, FileSource::close)
                .subscribeOn(Schedulers.boundedElastic());
    }

    private static Flux<Message> pieces(FileSource file) {
        try {
            return Flux.range(0, (int) (file.size() / PIECE)).map(i -> piece(file, (long) i * PIECE));
        } catch (IOException e) {
            return Flux.error(e);
        }
    }

    private static Message piece(FileSource file, long position) {
        try {
            return Message.of(file.piece(position, PIECE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long taken(Message piece) {
        try {
            return piece.size();
        } finally {
            piece.release();
        }
    }
}
