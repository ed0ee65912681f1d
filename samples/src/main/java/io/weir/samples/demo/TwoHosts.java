package io.weir.samples.demo;

import io.weir.core.PeerAddress;
import io.weir.samples.process.ProgramFailed;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two network namespaces of Linux with a cable between them: to what runs there, two hosts with a network of their own. Nobody
 * else's network is touched. They are gone when this is closed, and also when the JVM ends by a signal.
 */
final class TwoHosts implements AutoCloseable {

    /** What each of them calls its end of the cable. */
    static final String CABLE = "weir0";

    private static final String HERE = "10.0.0.1";
    private static final String THERE = "10.0.0.2";

    private final Ip ip;
    private final String near;
    private final String far;
    private final Thread atExit = new Thread(this::remove, "remove-networks");
    private boolean removed;

    private TwoHosts(Ip ip, String name) {
        this.ip = ip;
        this.near = name + "-a";
        this.far = name + "-b";
    }

    /**
     * Makes them.
     *
     * @throws ProgramFailed if that can't be done, for instance because one must be root; nothing is left then
     */
    static TwoHosts make(Ip ip) {
        TwoHosts hosts = new TwoHosts(
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
        step("netns", "add", near);
        step("netns", "add", far);
        step("link", "add", CABLE, "netns", near, "type", "veth", "peer", "name", CABLE, "netns", far);
        step("-n", near, "address", "add", HERE + "/24", "dev", CABLE);
        step("-n", far, "address", "add", THERE + "/24", "dev", CABLE);
        for (String each : List.of(near, far)) {
            step("-n", each, "link", "set", "dev", "lo", "up");
            step("-n", each, "link", "set", "dev", CABLE, "up");
        }
    }

    /** The JVM may be ending meanwhile: then nothing more is made. */
    private synchronized void step(String... arguments) {
        if (removed) {
            throw new ProgramFailed("Interrupted while the networks were being made.");
        }
        ip.run(arguments);
    }

    /** Stands before a command that is to run in the first one. */
    List<String> near() {
        return ip.command("netns", "exec", near);
    }

    /** Stands before a command that is to run in the second one. */
    List<String> far() {
        return ip.command("netns", "exec", far);
    }

    /** Where the second one can be reached from the first one, at any free port. */
    PeerAddress address() {
        return new PeerAddress(THERE, 0);
    }

    private synchronized void remove() {
        if (removed) {
            return;
        }
        removed = true;
        for (String each : List.of(near, far)) {
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
        return near + " and " + far;
    }
}
