package io.weir.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Hosts that are network namespaces of Linux, and the wires between them: veth pairs, or bridges with several hosts on
 * them. Only root can make these, with {@code ip} of iproute2. All of it is gone when this is closed, and also when the
 * JVM ends by a signal.
 *
 * <p>Hosts have no IPv6, so that nobody says anything of his own accord. Addresses are best of 198.18.0.0/15, the block
 * for tests of networks (RFC 2544).
 *
 * <p>Every method that changes something throws an {@link IllegalStateException} with what the kernel has to say if
 * that can't be done.
 */
public final class Networks implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_AGAIN_NANOS = 20_000_000;

    /** What is to be undone, the last first. */
    private final Deque<Runnable> made = new ArrayDeque<>();

    private final String name;
    private final Host here = new Host("");
    private final Thread atExit = new Thread(this::remove, "remove-networks");
    private int bridges;
    private int portsHere;

    private Networks(String name) {
        this.name = name;
    }

    /** There can be no networks here. A test that needs them is skipped then. */
    public static final class Unavailable extends Exception {

        private static final long serialVersionUID = 1L;

        Unavailable(String reason) {
            super("Only root on Linux, with ip of iproute2, can make networks: " + reason);
        }
    }

    /**
     * Begins with none.
     *
     * @throws Unavailable if nobody can have any here
     */
    public static Networks make() throws Unavailable {
        // The name of an interface has at most 15 characters, that of a bridge begins with this.
        String name = String.format(
                Locale.ROOT, "weir%06x", ThreadLocalRandom.current().nextInt(1 << 24));
        String trial = name + "-trial";
        String refusal = said("netns", "add", trial);
        if (refusal.isEmpty()) {
            refusal = said("-n", trial, "link", "add", "weir0", "type", "veth", "peer", "name", "weir1");
            var unused = said("netns", "delete", trial);
        }
        if (!refusal.isEmpty()) {
            throw new Unavailable(refusal);
        }
        Networks networks = new Networks(name);
        Runtime.getRuntime().addShutdownHook(networks.atExit);
        return networks;
    }

    /** The host on which this JVM runs. */
    public Host here() {
        return here;
    }

    /**
     * Makes another one.
     *
     * @param called a short name, of which there are no two
     */
    public Host host(String called) {
        String namespace = name + '-' + called;
        ip("netns", "add", namespace);
        undo("netns", "delete", namespace);
        Host host = new Host(namespace);
        host.write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
        host.write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
        host.ip("link", "set", "dev", "lo", "up");
        return host;
    }

    /** Lays a wire, whose ends are up, have a carrier, and have the MTU of Ethernet, 1500. */
    public Wire wire(Host one, Host other) {
        String first = one.nextPort();
        String second = other.nextPort();
        List<String> command = new ArrayList<>(List.of("link", "add", first));
        command.addAll(one.netns());
        command.addAll(List.of("type", "veth", "peer", "name", second));
        command.addAll(other.netns());
        ip(command.toArray(String[]::new));
        if (one == here || other == here) {
            // The others go with their host.
            undo("link", "delete", one == here ? first : second);
        }
        Wire wire = new Wire(new Port(one, first), new Port(other, second));
        wire.first.up();
        wire.second.up();
        wire.first.awaitCarrier();
        wire.second.awaitCarrier();
        return wire;
    }

    /** A wire with another MTU. */
    public Wire wire(Host one, Host other, int mtu) {
        Wire wire = wire(one, other);
        wire.mtu(mtu);
        return wire;
    }

    /** Makes a bridge, to which hosts can be joined. */
    public Bridge bridge() {
        Host around = host("bridge" + bridges++);
        // One that looks at multicast joins a group of its own, and reports that some seconds later in frames that
        // nobody has sent.
        around.ip("link", "add", "bridge", "type", "bridge", "mcast_snooping", "0");
        around.ip("link", "set", "dev", "bridge", "up");
        return new Bridge(around);
    }

    /** Undoes all of it. */
    @Override
    public void close() {
        remove();
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending: it has run, or will find nothing to do.
        }
    }

    private void undo(String... command) {
        synchronized (made) {
            made.push(() -> {
                // Whoever has deleted it himself leaves nothing to do.
                var unused = said(command);
            });
        }
    }

    private void remove() {
        boolean interrupted = Thread.interrupted();
        synchronized (made) {
            while (!made.isEmpty()) {
                made.pop().run();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void ip(String... arguments) {
        String refusal = said(arguments);
        if (!refusal.isEmpty()) {
            throw new IllegalStateException("ip " + String.join(" ", arguments) + " failed: " + refusal);
        }
    }

    /** Returns why it has failed; nothing if it has not. */
    private static String said(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        Said said = run(command);
        return said.status == 0 ? "" : said.text.isEmpty() ? "it said nothing" : said.text;
    }

    private record Said(int status, String text) {}

    private static Said run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return new Said(process.waitFor(), text);
        } catch (IOException e) {
            return new Said(-1, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Said(-1, "interrupted");
        }
    }

    /** A host, in which processes can run. */
    public final class Host {

        private final String namespace;
        private int ports;

        private Host(String namespace) {
            this.namespace = namespace;
        }

        private boolean isHere() {
            return namespace.isEmpty();
        }

        /** What starts this command there. The process itself runs there, not a child of it. */
        public List<String> command(List<String> command) {
            List<String> whole = new ArrayList<>();
            if (!isHere()) {
                whole.addAll(List.of("ip", "netns", "exec", namespace));
            }
            whole.addAll(command);
            return whole;
        }

        /** Runs {@code ip} there, for what is not among the methods here. */
        public void ip(String... arguments) {
            List<String> whole = new ArrayList<>();
            if (!isHere()) {
                whole.addAll(List.of("-n", namespace));
            }
            whole.addAll(List.of(arguments));
            Networks.ip(whole.toArray(String[]::new));
        }

        /** Passes packets of IPv4 on from one wire to another. */
        public void forward() {
            write("/proc/sys/net/ipv4/ip_forward", "1");
        }

        /** Sends by way of this address what is for nobody on its wires. */
        public void route(String gateway) {
            ip("route", "add", "default", "via", gateway);
        }

        /** What of {@code /proc/sys} is not there need not be set. */
        private void write(String file, String value) {
            Said said = run(command(List.of("sh", "-c", "[ ! -e " + file + " ] || echo " + value + " > " + file)));
            if (said.status != 0) {
                throw new IllegalStateException(
                        value + " can't be written to " + file + " of " + this + ": " + said.text);
            }
        }

        private String read(String file) {
            Said said = run(command(List.of("cat", file)));
            if (said.status != 0) {
                throw new IllegalStateException(file + " of " + this + " can't be read: " + said.text);
            }
            return said.text;
        }

        private String nextPort() {
            return isHere() ? name + 'p' + portsHere++ : "weir" + ports++;
        }

        private List<String> netns() {
            return isHere() ? List.of() : List.of("netns", namespace);
        }

        /** The name of the namespace; something in words for this host. */
        @Override
        public String toString() {
            return isHere() ? "this host" : namespace;
        }
    }

    /** An interface: one end of a wire. */
    public static final class Port {

        private final Host host;
        private final String name;

        private Port(Host host, String name) {
            this.host = host;
            this.name = name;
        }

        public Host host() {
            return host;
        }

        /** As the interface is called at its host. */
        public String name() {
            return name;
        }

        /** Its address of Ethernet, such as {@code 02:00:5e:10:00:01}. */
        public String mac() {
            return host.read("/sys/class/net/" + name + "/address");
        }

        /** Gives it another address of IPv4, such as {@code 198.18.0.1/24}. */
        public void address(String address) {
            host.ip("address", "add", address, "dev", name);
        }

        public void mtu(int mtu) {
            set("mtu", Integer.toString(mtu));
        }

        /** Plugs it in again. */
        public void up() {
            set("up");
        }

        /** Pulls it: this host knows no way any longer, the other one hears nothing. */
        public void down() {
            set("down");
        }

        /** Takes it away, with the other end and the wire. */
        public void delete() {
            host.ip("link", "delete", "dev", name);
        }

        /** The kernel looks for one in its own time, up to a second after the other end is up. */
        private void awaitCarrier() {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!host.read("/sys/class/net/" + name + "/operstate").equals("up")) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException(
                            this + " has no carrier within " + PATIENCE.toSeconds() + " s of its wire being laid");
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }

        private void set(String... what) {
            List<String> command = new ArrayList<>(List.of("link", "set", "dev", name));
            command.addAll(List.of(what));
            host.ip(command.toArray(String[]::new));
        }

        @Override
        public String toString() {
            return name + " of " + host;
        }
    }

    /**
     * A veth pair.
     *
     * @param first at the host that was named first
     * @param second at the other one
     */
    public record Wire(Port first, Port second) {

        /** Changes it at both ends. */
        public void mtu(int mtu) {
            first.mtu(mtu);
            second.mtu(mtu);
        }
    }

    /** A bridge of Linux, in a namespace of its own. It learns who is where, and speaks no spanning tree. */
    public final class Bridge {

        private final Host around;

        private Bridge(Host around) {
            this.around = around;
        }

        /** Joins a host. */
        public Port join(Host host) {
            return join(host, 1500);
        }

        /** Joins a host; the bridge has the smallest MTU of all. */
        public Port join(Host host, int mtu) {
            Wire wire = wire(host, around, mtu);
            wire.second.set("master", "bridge");
            return wire.first;
        }
    }
}
