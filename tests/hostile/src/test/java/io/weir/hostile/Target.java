package io.weir.hostile;

import io.weir.hostile.client.Identity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** A victim and its benign peers, who share it with the attackers. */
final class Target implements AutoCloseable {

    private static final long CONTROL_MILLIS = 1500;

    private final Program victim;
    private final Program benign;
    private final InetSocketAddress open;
    private final InetSocketAddress secret;
    private final List<String> paths;
    private final Identity benignIdentity;
    private final Figures start;
    private final long controlMillis;

    Target(Size size) throws IOException, InterruptedException {
        String name = size.name().toLowerCase(Locale.ROOT);
        victim = new Program("victim-" + name, Victim.class, size.jvm(), List.of());
        String address = victim.hear("address");
        open = socket(address);
        secret = socket(victim.hear("address"));
        paths = System.getProperty("os.name").equals("Linux") ? List.of("tcp", "shm") : List.of("tcp");
        List<String> arguments = new ArrayList<>(paths);
        arguments.add(0, address);
        benign = new Program("benign-" + name, Benign.class, List.of("-Xmx128m"), arguments);
        Identity first = identity(benign.hear("identity"));
        for (int more = 1; more < paths.size(); more++) {
            benign.hear("identity");
        }
        benignIdentity = first;
        benign.hear("ready");
        // Twice: only the second time everything has been loaded and compiled that serves a peer.
        control();
        controlMillis = control();
        start = memory();
    }

    private long control() throws IOException, InterruptedException {
        measure();
        Thread.sleep(CONTROL_MILLIS);
        return report().gapMillis();
    }

    private static InetSocketAddress socket(String address) {
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(address.substring(colon + 1)));
    }

    private static Identity identity(String line) {
        String[] words = line.split(" ");
        return new Identity(UUID.fromString(words[1]), Long.parseLong(words[2]), words[3], Optional.empty());
    }

    /** The node that lets everybody in. */
    InetSocketAddress open() {
        return open;
    }

    /** The node that wants {@link Victim#SECRET} proved. */
    InetSocketAddress secret() {
        return secret;
    }

    /** Who the benign peer over TCP is. */
    Identity benignIdentity() {
        return benignIdentity;
    }

    /** The longest gap of the benign peers without an attack. */
    long controlMillis() {
        return controlMillis;
    }

    /** What the victim held before the first attack. */
    Figures start() {
        return start;
    }

    void measure() throws IOException, InterruptedException {
        benign.say("measure");
        benign.hear("measuring");
    }

    /** Ends the measurement. */
    Report report() throws IOException, InterruptedException {
        benign.say("report");
        List<Figures> sessions = new ArrayList<>();
        for (int session = 0; session < paths.size(); session++) {
            sessions.add(Figures.parse(benign.hear("report")));
        }
        return new Report(sessions, Long.parseLong(benign.hear("hiccup")));
    }

    /** Empties the mailboxes: what is in them belongs to the program, which would have to read it. */
    void take() throws IOException, InterruptedException {
        victim.say("take");
        victim.hear("taken");
    }

    Figures memory() throws IOException, InterruptedException {
        victim.say("memory");
        return Figures.parse(victim.hear("memory"));
    }

    boolean isAlive() {
        return victim.isAlive() && benign.isAlive();
    }

    @Override
    public void close() throws Exception {
        try (victim;
                benign) {
            // Both end.
        }
    }

    /**
     * What the benign peers have seen.
     *
     * @param hiccupMillis the longest time that a thread of their process had to wait for a processor
     */
    record Report(List<Figures> sessions, long hiccupMillis) {

        long gapMillis() {
            return sessions.stream()
                    .mapToLong(session -> session.get("gap"))
                    .max()
                    .orElseThrow();
        }
    }
}
