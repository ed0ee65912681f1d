package io.weir.benchmark;

import io.weir.benchmark.files.FileOverSocket;
import io.weir.benchmark.files.FileOverWeir;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * How fast a file that the kernel has in memory is read by another process: over shared memory, over tcp, and with
 * {@code sendfile} over a plain socket on loopback. Two processes each, in turn. There is no bar.
 *
 * @param rounds how often each reads it, after once that does not count
 * @param bytes of the file
 */
record FileReads(int rounds, long bytes) {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    static FileReads full() {
        return new FileReads(7, 1L << 30);
    }

    static FileReads quick() {
        return new FileReads(1, 64L << 20);
    }

    private enum Way {
        SENDFILE("sendfile, plain socket", FileOverSocket.class, "tcp"),
        TCP("weir-tcp", FileOverWeir.class, "tcp"),
        SHM("weir-shm", FileOverWeir.class, "shm");

        private final String words;
        private final Class<?> program;
        private final String path;

        Way(String words, Class<?> program, String path) {
            this.words = words;
            this.program = program;
            this.path = path;
        }
    }

    void measure(Path folder, Consumer<String> progress, PrintStream out) throws IOException, InterruptedException {
        Path file = write(folder.resolve("file"));
        List<Couple> couples = new ArrayList<>();
        try {
            for (Way way : Way.values()) {
                couples.add(Couple.start(way, file));
            }
            Read[][] reads = new Read[couples.size()][rounds];
            for (int i = -1; i < rounds; i++) {
                for (Couple couple : couples) {
                    Read read = couple.read(bytes);
                    progress.accept("files: " + couple.way.words + ' ' + gigabytes(read.rate()));
                    if (i >= 0) {
                        reads[couple.way.ordinal()][i] = read;
                    }
                }
            }
            print(reads, out);
        } finally {
            couples.forEach(Couple::close);
        }
    }

    private static void print(Read[][] reads, PrintStream out) {
        Table table = new Table("a file is read", "throughput", "x sendfile", "CPU s per GB, both sides");
        double plain = median(reads[Way.SENDFILE.ordinal()], Read::rate);
        for (Way way : Way.values()) {
            double rate = median(reads[way.ordinal()], Read::rate);
            double cpu = median(reads[way.ordinal()], Read::cpuPerByte);
            table.row(way.words, gigabytes(rate), Figures.ratio(rate / plain), Figures.ratio(cpu));
        }
        table.print(out);
    }

    private static double median(Read[] reads, ToDoubleFunction<Read> figure) {
        return Figures.median(List.of(reads).stream().mapToDouble(figure).toArray());
    }

    private static String gigabytes(double bytesPerSecond) {
        return String.format(Locale.ROOT, "%.2f GB/s", bytesPerSecond / 1e9);
    }

    private Path write(Path file) throws IOException {
        ByteBuffer some = ByteBuffer.allocate(1 << 20);
        new Random(1).nextBytes(some.array());
        try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long written = 0; written < bytes; ) {
                written += to.write(some.rewind());
            }
        }
        return file;
    }

    /** What one reading took. */
    private record Read(long bytes, long nanos, long cpuNanos) {

        double rate() {
            return bytes * 1e9 / nanos;
        }

        /** Nanoseconds per byte, which are seconds per GB. */
        double cpuPerByte() {
            return (double) cpuNanos / bytes;
        }
    }

    /** Who has the file, and who reads it. */
    private record Couple(Way way, ChildProcess server, ChildProcess client) implements AutoCloseable {

        static Couple start(Way way, Path file) throws IOException, InterruptedException {
            ChildProcess server = start(way, "server", file.toString());
            try {
                String where = server.await("READY", PATIENCE);
                Couple couple = new Couple(way, server, start(way, "client", where));
                var unused = couple.client.await("READY", PATIENCE);
                return couple;
            } catch (ChildFailed | IOException e) {
                server.close();
                throw e;
            }
        }

        private static ChildProcess start(Way way, String role, String argument) throws IOException {
            return ChildProcess.start(
                    "file-" + role,
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "--enable-native-access=ALL-UNNAMED",
                            "-Dweir.transport.order=" + way.path,
                            "-cp",
                            System.getProperty("java.class.path"),
                            way.program.getName(),
                            role,
                            argument));
        }

        Read read(long bytes) throws InterruptedException {
            long before = cpuNanos();
            client.send("READ");
            String[] words = client.await("READ", PATIENCE).split(" ", -1);
            if (Long.parseLong(words[0]) != bytes) {
                throw new ChildFailed(way.words + " has read " + words[0] + " bytes of " + bytes + '.');
            }
            return new Read(bytes, Long.parseLong(words[1]), cpuNanos() - before);
        }

        private long cpuNanos() {
            return Usage.of(server.pid()).cpuNanos() + Usage.of(client.pid()).cpuNanos();
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }
}
