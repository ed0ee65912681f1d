package io.weir.samples.process;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Network namespaces of Linux with cables between them: to what runs there, hosts with networks of their own. Nobody
 * else's network is touched. They are gone when this is closed, and also when the JVM ends by a signal.
 */
final class Namespaces implements AutoCloseable {

    private final Ip ip;
    private final List<String> names;
    private final Thread atExit = new Thread(this::remove, "remove-networks");
    private boolean removed;

    private Namespaces(Ip ip, List<String> names) {
        this.ip = ip;
        this.names = names;
    }

    /**
     * Makes them.
     *
     * @param laying lays the cables
     * @throws ProgramFailed if that can't be done, for instance because one must be root; nothing is left then
     */
    static Namespaces make(Ip ip, Consumer<Namespaces> laying, String... suffixes) {
        String name = String.format("weir-%08x-", ThreadLocalRandom.current().nextInt());
        Namespaces all =
                new Namespaces(ip, Stream.of(suffixes).map(name::concat).toList());
        Runtime.getRuntime().addShutdownHook(all.atExit);
        try {
            for (String each : all.names) {
                all.step("netns", "add", each);
                all.step("-n", each, "link", "set", "dev", "lo", "up");
            }
            laying.accept(all);
            return all;
        } catch (ProgramFailed e) {
            all.close();
            throw e;
        }
    }

    /** One end of a cable. */
    record End(int host, String device, String address) {}

    /** Lays a cable between two of them, a network of its own with a mask of 24 bits. */
    void cable(End one, End other) {
        step(
                "link",
                "add",
                one.device,
                "netns",
                names.get(one.host),
                "type",
                "veth",
                "peer",
                "name",
                other.device,
                "netns",
                names.get(other.host));
        for (End end : List.of(one, other)) {
            step("-n", names.get(end.host), "address", "add", end.address + "/24", "dev", end.device);
            step("-n", names.get(end.host), "link", "set", "dev", end.device, "up");
        }
    }

    /** The JVM may be ending meanwhile: then nothing more is made. */
    private synchronized void step(String... arguments) {
        if (removed) {
            throw new ProgramFailed("Interrupted while the networks were being made.");
        }
        ip.run(arguments);
    }

    /** Stands before a command that is to run in one of them. */
    List<String> in(int host) {
        return ip.command("netns", "exec", names.get(host));
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
        return names.size() == 2 ? String.join(" and ", names) : String.join(" - ", names);
    }
}
