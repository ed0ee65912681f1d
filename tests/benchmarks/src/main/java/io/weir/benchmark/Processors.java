package io.weir.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The two processors that the two hot threads are tied to; negative ones tie nothing. */
record Processors(int client, int server) {

    private static final String ALLOWED = "Cpus_allowed_list:";

    Processors {
        if (client == server && client >= 0) {
            throw new IllegalArgumentException("Client and server need a processor each; both were given " + client
                    + ". Spinning threads on one processor would wait for each other's time slices.");
        }
    }

    /** The first two that this process may use. */
    static Processors firstAllowed() {
        List<Integer> allowed = parse(allowed());
        if (allowed.size() < 2) {
            throw new IllegalStateException(
                    "Two processors are needed, and this process may only use " + allowed + '.');
        }
        return new Processors(allowed.get(0), allowed.get(1));
    }

    private static String allowed() {
        Path status = Path.of("/proc/self/status");
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith(ALLOWED))
                    .map(line -> line.substring(ALLOWED.length()).strip())
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(status + " does not say " + ALLOWED));
        } catch (IOException e) {
            throw new UncheckedIOException("The benchmarks need Linux: " + status + " cannot be read.", e);
        }
    }

    /** {@code 0-2,5} is 0, 1, 2 and 5. */
    static List<Integer> parse(String list) {
        List<Integer> all = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            String[] range = part.split("-", -1);
            int last = Integer.parseInt(range[range.length - 1]);
            for (int cpu = Integer.parseInt(range[0]); cpu <= last; cpu++) {
                all.add(cpu);
            }
        }
        return all;
    }

    @Override
    public String toString() {
        return "client's hot thread on processor " + client + ", server's on " + server;
    }
}
