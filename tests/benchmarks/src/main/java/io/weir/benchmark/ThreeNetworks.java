package io.weir.benchmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Three network namespaces of Linux in a row, the middle one of which routes between the others. They are gone when this is closed, and
 * also when the JVM ends by a signal.
 */
final class ThreeNetworks implements AutoCloseable {

    static final String MIDDLE = "198.18.77.1";
    static final String FAR = "198.18.78.2";

    private static final String NEAR = "198.18.77.2";
    private static final String MIDDLE_TO_FAR = "198.18.78.1";

    private final String near;
    private final String middle;
    private final String far;
    private final Thread atExit = new Thread(this::remove, "remove-networks");

    private ThreeNetworks(String name) {
        near = name + "-a";
        middle = name + "-g";
        far = name + "-b";
    }

    /**
     * Makes them.
     *
     * @throws IOException if that can't be done, for instance because one must be root; nothing is left then
     */
    static ThreeNetworks make() throws IOException, InterruptedException {
        ThreeNetworks made = new ThreeNetworks(
                String.format("weir-%08x", ThreadLocalRandom.current().nextInt()));
        Runtime.getRuntime().addShutdownHook(made.atExit);
        try {
            for (String each : List.of(made.near, made.middle, made.far)) {
                run("ip", "netns", "add", each);
                run("ip", "-n", each, "link", "set", "dev", "lo", "up");
            }
            made.cable(made.near, NEAR, "weir0", MIDDLE);
            made.cable(made.far, FAR, "weir1", MIDDLE_TO_FAR);
            run("ip", "netns", "exec", made.middle, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
            run("ip", "-n", made.near, "route", "add", "default", "via", MIDDLE);
            run("ip", "-n", made.far, "route", "add", "default", "via", MIDDLE_TO_FAR);
            return made;
        } catch (IOException | InterruptedException e) {
            made.close();
            throw e;
        }
    }

    /** From the middle one to another one. */
    private void cable(String end, String address, String name, String here) throws IOException, InterruptedException {
        run("ip", "link", "add", name, "netns", middle, "type", "veth", "peer", "name", "weir0", "netns", end);
        run("ip", "-n", middle, "address", "add", here + "/24", "dev", name);
        run("ip", "-n", end, "address", "add", address + "/24", "dev", "weir0");
        run("ip", "-n", middle, "link", "set", "dev", name, "up");
        run("ip", "-n", end, "link", "set", "dev", "weir0", "up");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException("'" + String.join(" ", command) + "' failed: " + said);
        }
    }

    List<String> inNear(List<String> command) {
        return in(near, command);
    }

    List<String> inMiddle(List<String> command) {
        return in(middle, command);
    }

    List<String> inFar(List<String> command) {
        return in(far, command);
    }

    /** The process itself runs there, not a child of it. */
    private static List<String> in(String namespace, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        whole.addAll(command);
        return whole;
    }

    private void remove() {
        for (String each : List.of(near, middle, far)) {
            try {
                run("ip", "netns", "delete", each);
            } catch (IOException e) {
                // It was not made.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        remove();
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending: it has run, or will find nothing to do.
        }
    }
}
