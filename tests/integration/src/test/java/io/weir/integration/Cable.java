package io.weir.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cable between this host and another one, a network namespace in which children can run. It can be pulled at either end and put in
 * again; nobody is told then but by silence. Its addresses are of a block that is for tests of networks (RFC 2544).
 */
final class Cable implements AutoCloseable {

    private final String namespace;
    private final String here;
    private final String there;
    private final String network;
    private final int lowest;
    private final Thread atExit = new Thread(this::remove, "remove-cable");

    private Cable(int number) {
        // The name of an interface has at most 15 characters.
        String name = String.format(Locale.ROOT, "weir%04x", number);
        namespace = name + "-far";
        here = name + "a";
        there = name + "b";
        network = "198.18." + (number >> 6) + '.';
        lowest = (number & 0x3f) << 2;
    }

    /** Lays one; skips the test where that can't be done. */
    static Cable orSkip() {
        Cable cable = new Cable(ThreadLocalRandom.current().nextInt(1 << 14));
        String refusal = ip("netns", "add", cable.namespace);
        assumeTrue(refusal.isEmpty(), () -> "only root on Linux, with ip of iproute2, can cut a network: " + refusal);
        Runtime.getRuntime().addShutdownHook(cable.atExit);
        try {
            cable.lay();
            return cable;
        } catch (AssertionError e) {
            cable.close();
            throw e;
        }
    }

    private void lay() {
        must("link", "add", here, "type", "veth", "peer", "name", there, "netns", namespace);
        must("address", "add", network + (lowest + 1) + "/30", "dev", here);
        must("-n", namespace, "address", "add", farHost() + "/30", "dev", there);
        must("link", "set", "dev", here, "up");
        must("-n", namespace, "link", "set", "dev", there, "up");
        must("-n", namespace, "link", "set", "dev", "lo", "up");
    }

    /** The address of the other host. */
    String farHost() {
        return network + (lowest + 2);
    }

    /** Stands before the command of a child that is to run on the other host, with these variables in its environment. */
    List<String> far(List<String> variables) {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace, "env"));
        command.addAll(variables);
        return command;
    }

    /** Cuts the network. */
    void pull(End end) {
        set(end, "down");
    }

    /** The network is whole again. */
    void plug(End end) {
        set(end, "up");
    }

    private void set(End end, String state) {
        if (end == End.NEAR) {
            must("link", "set", "dev", here, state);
        } else {
            must("-n", namespace, "link", "set", "dev", there, state);
        }
    }

    /** Where the cable is pulled: the kernel there knows no way any longer, the other one just hears nothing. */
    enum End {
        NEAR,
        FAR
    }

    private void must(String... arguments) {
        String refusal = ip(arguments);
        if (!refusal.isEmpty()) {
            throw new AssertionError("ip " + String.join(" ", arguments) + " failed: " + refusal);
        }
    }

    /** Returns why it has failed; nothing if it has not. */
    private static String ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? "" : said.isEmpty() ? "it said nothing" : said;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void remove() {
        var cable = ip("link", "delete", here);
        var host = ip("netns", "delete", namespace);
    }

    @Override
    public void close() {
        var known = Runtime.getRuntime().removeShutdownHook(atExit);
        remove();
    }
}
