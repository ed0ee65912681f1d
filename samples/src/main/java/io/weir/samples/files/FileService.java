package io.weir.samples.files;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.FileSource;
import io.weir.core.Message;
import java.nio.file.Path;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Lists, reads and writes the files of a folder, for other processes. */
final class FileService {

    /** So many bytes of a file, from there on; those that there are, if there are fewer. */
    record Range(String name, long from, long length) {

        /** It comes from another process. */
        Range {
            Objects.requireNonNull(name, "name");
        }
    }

    static final Codec<Folder.Entry> ENTRY = Codecs.json(Folder.Entry.class);
    static final Codec<Range> RANGE = Codecs.json(Range.class);
    private static final Codec<String> TEXT = Codecs.text();
    private static final Codec<Long> WRITTEN = Codecs.json(Long.class);

    private static final String NAME = "name";

    private final Folder folder;

    FileService(Folder folder) {
        this.folder = folder;
    }

    void serve(Node node) {
        // tag::files
        node.stream("list", TEXT, ENTRY, any -> Flux.fromStream(folder::list).subscribeOn(Schedulers.boundedElastic()));

        node.serve(
                "read",
                channel -> channel.receive(RANGE)
                        .next()
                        .flatMap(range -> channel.send(
                                Pieces.of(() -> folder.read(range.name()), range.from(), range.length()))));

        node.serve("write", channel -> channel.send(store(channel.receive()), WRITTEN));
        // end::files
    }

    private Mono<Long> store(Flux<Message> pieces) {
        return Storing.of(
                pieces,
                first -> folder.resolve(
                        first == null ? "" : String.valueOf(first.control().get(NAME))));
    }

    /** A file of the other process, into one of ours. */
    static Mono<Long> read(Peer peer, Range range, Path target) {
        // tag::download
        Flux<Message> pieces = Flux.defer(() -> peer.stream("read", Message.of(RANGE.encode(range, peer.allocator()))));
        Mono<Long> read = Storing.of(pieces, first -> target);
        // end::download
        return read;
    }

    /** A file of ours, into one of the other process; yields how many bytes it has written. */
    static Mono<Long> write(Peer peer, Path source, String name) {
        // tag::upload
        Message first = Message.of("").with(NAME, name);
        Mono<Long> written = peer.channel("write")
                .flatMap(channel -> channel.send(Pieces.of(() -> FileSource.open(source), 0, Long.MAX_VALUE)
                                .startWith(first))
                        .then(channel.receive(WRITTEN).next()));
        // end::upload
        return written;
    }
}
