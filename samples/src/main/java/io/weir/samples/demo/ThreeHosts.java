package io.weir.samples.demo;

import io.weir.samples.process.ProgramFailed;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Three network namespaces of Linux in a row: to what runs there, two networks, and a host that is on both. Nothing is routed from one to the
 * other, and nobody else's network is touched. They are gone when this is closed, and also when the JVM ends by a signal.
 */
final class ThreeHosts implements AutoCloseable {

    static final String NEAR = "10.77.1.2";
    static final String MIDDLE = "10.77.1.1";
    static final String FAR = "10.77.2.2";

    private final Ip ip;
    private final List<String> names;
    private final Thread atExit = new Thread(this::remove, "remove-networks");
    private boolean removed;

    private ThreeHosts(Ip ip, String name) {
        this.ip = ip;
        this.names = List.of(name + "-a", name + "-g", name + "-b");
    }

    /**
     * Makes them.
     *
     * @throws ProgramFailed if that can't be done, for instance because one must be root; nothing is left then
     */
    static ThreeHosts make(Ip ip) {
        ThreeHosts hosts = new ThreeHosts(
                ip, String.format("weir-%08x", ThreadLocalRandom.current().nextInt()));
        Runtime.getRuntime().addShutdownHook(hosts.atExit);
        try {
            hosts.begin();
            return hosts;
        } catch (ProgramFailed e) {
            hosts.close();
            throw e;
        }
    }

    private void begin() {
        for (String each : names) {
            step("netns", "add", each);
            step("-n", each, "link", "set", "dev", "lo", "up");
        }
        cable(names.get(0), NEAR, "weir0", MIDDLE);
        cable(names.get(2), FAR, "weir1", "10.77.2.1");
    }

    /** From the middle one to another one. */
    private void cable(String end, String address, String name, String here) {
        String middle = names.get(1);
        step("link", "add", name, "netns", middle, "type", "veth", "peer", "name", "weir0", "netns", end);
        step("-n", middle, "address", "add", here + "/24", "dev", name);
        step("-n", end, "address", "add", address + "/24", "dev", "weir0");
        step("-n", middle, "link", "set", "dev", name, "up");
        step("-n", end, "link", "set", "dev", "weir0", "up");
    }

    /** The JVM may be ending meanwhile: then nothing more is made. */
    private synchronized void step(String... arguments) {
        if (removed) {
            throw new ProgramFailed("Interrupted while the networks were being made.");
        }
        ip.run(arguments);
    }

    /** Stands before a command that is to run in one of them: 0 is the near one, 1 the middle, 2 the far one. */
    List<String> in(int which) {
        return ip.command("netns", "exec", names.get(which));
    }

    private synchronized void remove() {
        if (removed) {
            return;
        }
        removed = true;
        for (String each : names) {
            try {
                ip.run("netns", "delete", each);
            } catch (ProgramFailed e) {
                // It was not made.
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

    @Override
    public String toString() {
        return String.join(" - ", names);
    }
}
