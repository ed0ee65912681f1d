package io.weir.benchmark.files;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/** What both programs say, and to whom they listen. */
final class Reads {

    private Reads() {}

    /** Says READY and where, and serves until its input ends. */
    static void serve(String where) throws IOException {
        System.out.println("READY " + where);
        while (System.in.read() >= 0) {
            // Whoever has started us is still there.
        }
        System.exit(0);
    }

    /**
     * Reads the whole file at each line of its input, and says READ, how many bytes these were and in how many
     * nanoseconds.
     */
    static void client(Callable<Long> read) throws IOException {
        System.out.println("READY ");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (lines.readLine() != null) {
            long begun = System.nanoTime();
            try {
                long bytes = read.call();
                System.out.println("READ " + bytes + ' ' + (System.nanoTime() - begun));
            } catch (Exception e) {
                System.out.println("FAILED " + e);
                System.exit(1);
            }
        }
        System.exit(0);
    }
}
