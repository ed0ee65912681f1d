package io.weir.samples.files;

import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.RemoteFailure;
import io.weir.samples.files.FileService.Range;
import io.weir.samples.process.Cast;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import reactor.core.publisher.Mono;

/** {@code weir sample files} */
@Command(
        name = "files",
        description = {
            "A process serves the files of a folder; this one lists, reads and writes them, as streams within demand.",
            "The serving process has a heap of 64 MB, less than the 80 MB that go through it in each direction."
        })
public final class FileSample extends Sample {

    private static final String LARGE = "large.bin";
    private static final int MEGABYTES = 80;
    private static final List<String> NO_NAMES = List.of("../secret", "/etc/passwd", "link", "", ".hidden");

    private static final Codec<String> TEXT = Codecs.text();

    /** The process that serves the folder that is its argument. */
    public static void main(String[] arguments) throws IOException {
        FileService service = new FileService(new Folder(Path.of(arguments[0])));
        Serving.until(Serving.spec("files"), service::serve);
    }

    @Override
    protected void play(Cast cast) {
        try {
            Path folder = Files.createTempDirectory("weir-files");
            try {
                Path served = Files.createDirectory(folder.resolve("served"));
                Path large = write(served.resolve(LARGE));
                Files.writeString(served.resolve("notes.txt"), "Nothing is copied that need not be.");
                Files.writeString(folder.resolve("secret"), "nobody's business");
                Files.createSymbolicLink(served.resolve("link"), folder.resolve("secret"));
                Peer peer = cast.start("files", FileSample.class, served.toString());
                list(cast, peer);
                copy(cast, peer, large, folder.resolve("copy"));
                part(cast, peer);
                hostile(cast, peer, folder, served);
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new ProgramFailed("The files of the sample can't be used: " + e.getMessage(), e);
        }
    }

    private static Path write(Path file) throws IOException {
        byte[] megabyte = new byte[1 << 20];
        Random random = new Random(MEGABYTES);
        try (var out = Files.newOutputStream(file)) {
            for (int i = 0; i < MEGABYTES; i++) {
                random.nextBytes(megabyte);
                out.write(megabyte);
            }
        }
        return file;
    }

    private static void list(Cast cast, Peer peer) {
        List<Folder.Entry> files = cast.await(peer.stream("list", "", TEXT, FileService.ENTRY)
                .collectSortedList((a, b) -> a.name().compareTo(b.name())));
        cast.row("list", String.valueOf(files));
        cast.shows(files.size() == 2, "what is no regular file is not listed");
    }

    private static void copy(Cast cast, Peer peer, Path large, Path copy) throws IOException {
        long begun = System.nanoTime();
        long read = cast.await(FileService.read(peer, new Range(LARGE, 0, Long.MAX_VALUE), copy));
        cast.row("read", megabytes(read, System.nanoTime() - begun));
        begun = System.nanoTime();
        long written = cast.await(FileService.write(peer, copy, "back.bin"));
        cast.row("write", megabytes(written, System.nanoTime() - begun));
        cast.shows(
                Files.mismatch(large, large.resolveSibling("back.bin")) == -1,
                "what was read and written back is the same, byte for byte");
    }

    private static String megabytes(long bytes, long nanos) {
        return String.format(Locale.ROOT, "%d MB in %.2f s", bytes >> 20, nanos / 1e9);
    }

    private static void part(Cast cast, Peer peer) {
        Mono<String> text = peer.stream("read", new Range("notes.txt", 11, 6), FileService.RANGE, TEXT)
                .single();
        cast.shows(cast.await(text).equals("copied"), "a range of a file can be read");
    }

    private static void hostile(Cast cast, Peer peer, Path folder, Path served) throws IOException {
        for (String name : NO_NAMES) {
            refused(cast, FileService.read(peer, new Range(name, 0, 1), folder.resolve("stolen")));
        }
        refused(cast, FileService.write(peer, folder.resolve("secret"), "../stolen"));
        try (Stream<Path> left = Files.list(folder);
                Stream<Path> there = Files.list(served)) {
            cast.shows(
                    left.count() == 3 && there.count() == 4,
                    "nothing outside of the folder is reached, nothing is left behind");
        }
    }

    private static void refused(Cast cast, Mono<Long> attempt) {
        String why = cast.await(attempt.map(bytes -> "")
                .onErrorResume(RemoteFailure.class, e -> Mono.just(String.valueOf(e.getMessage()))));
        if (why.isEmpty()) {
            throw new ProgramFailed("A name was taken that is none.");
        }
        cast.row("refused", why.substring(why.indexOf('\'')));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }
}
