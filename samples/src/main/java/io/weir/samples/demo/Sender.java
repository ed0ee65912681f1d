package io.weir.samples.demo;

import io.weir.core.PeerAddress;
import io.weir.core.WeirException;
import io.weir.samples.process.ProgramFailed;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The first process where the demonstration can't be it, because it runs in a network of its own. Its exit code says
 * whether the digests agree. Ends when its standard input does, so that it never outlives who started it.
 */
public final class Sender {

    private Sender() {}

    /**
     * Streams, and ends.
     *
     * @param arguments the address of the {@link Receiver}, the path that must come out, the file, its size and its
     *     SHA-256
     */
    public static void main(String[] arguments) {
        Thread input = new Thread(Sender::endWithInput, "input");
        input.setDaemon(true);
        input.start();
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try {
            String path = arguments[1];
            Subject subject = new Subject(Path.of(arguments[2]), Long.parseLong(arguments[3]), arguments[4]);
            PathRun run = new PathRun(subject, 1, out, false);
            boolean same = run.networkCut(path, Demo.spec(path), PeerAddress.parse(arguments[0]));
            System.exit(same ? 0 : 1);
        } catch (WeirException | ProgramFailed e) {
            out.println("  " + e.getMessage());
            System.exit(1);
        }
    }

    private static void endWithInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.exit(1);
    }
}
