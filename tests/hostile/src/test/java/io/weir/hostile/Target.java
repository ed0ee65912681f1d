package io.weir.hostile;

import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

/** A victim and its benign peers, who share it with the attackers. */
final class Target implements AutoCloseable {

    private static final long CONTROL_MILLIS = 1500;

    private final Program victim;
    private final Program benign;
    private final InetSocketAddress open;
    private final InetSocketAddress secret;
    private final String socket;
    private final List<String> paths;
    private final Identity claimed;
    private final Figures start;
    private final long controlMillis;
    private long waitedBefore;

    Target(Size size) throws IOException, InterruptedException {
        String name = size.name().toLowerCase(Locale.ROOT);
        victim = new Program("victim-" + name, Victim.class, size.jvm(), List.of());
        String address = victim.hear("address");
        open = socket(address);
        secret = socket(victim.hear("address"));
        socket = victim.hear("socket");
        paths = System.getProperty("os.name").equals("Linux") ? List.of("tcp", "shm") : List.of("tcp");
        List<String> arguments = new ArrayList<>(paths);
        arguments.add(0, address);
        benign = new Program("benign-" + name, Benign.class, List.of("-Xmx128m"), arguments);
        Identity first = identity(benign.hear("identity"));
        for (int more = 1; more < paths.size(); more++) {
            benign.hear("identity");
        }
        claimed = first;
        benign.hear("ready");
        // Before anything is measured, what serves a peer has been loaded and compiled.
        warmUp();
        control();
        controlMillis = control();
        start = memory();
    }

    /** A busy second or two with what is permitted. */
    private void warmUp() throws InterruptedException {
        byte[] open = Frame.open(1, "echo", 0, 1 << 20, 1 << 30).bytes();
        byte[] pings = Frame.join(
                Collections.nCopies(1000, Frame.of(Kind.PING, 0, 0, 1)).toArray(Frame[]::new));
        try (Attacker attacker = new Attacker(this)) {
            attacker.flood(2, true, open, pings);
        }
        try (Attacker attacker = new Attacker(this)) {
            attacker.attackAgain(2, number -> {
                attacker.session().close();
                attacker.did();
            });
        }
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
        return Identity.claiming(UUID.fromString(words[1]), Long.parseLong(words[2]), words[3]);
    }

    /** The node that lets everybody in. */
    InetSocketAddress open() {
        return open;
    }

    /** The node that wants {@link Victim#SECRET} proved. */
    InetSocketAddress secret() {
        return secret;
    }

    /** The path of a Unix-domain socket of the node that lets everybody in. */
    String socketPath() {
        return socket;
    }

    /** Who says that he is the benign peer over TCP. */
    Identity claimed() {
        return claimed;
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
        waitedBefore = waited();
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
        long hiccup = Long.parseLong(benign.hear("hiccup"));
        return new Report(sessions, hiccup, waited() - waitedBefore);
    }

    private long waited() throws IOException, InterruptedException {
        victim.say("waited");
        return Long.parseLong(victim.hear("waited"));
    }

    /** Empties the mailboxes: what is in them belongs to the program, which would have to read it. */
    void take() throws IOException, InterruptedException {
        victim.say("take");
        victim.hear("taken");
    }

    /** Takes all of the victim's heap from it for a while. */
    void starve() throws IOException, InterruptedException {
        victim.say("starve");
        victim.hear("starved");
    }

    Figures memory() throws IOException, InterruptedException {
        victim.say("memory");
        return Figures.parse(victim.hear("memory"));
    }

    /** The last lines of what the victim has logged. */
    String log() throws IOException {
        return victim.log();
    }

    /** Has the victim do nothing until it may go on. */
    void stop() throws IOException, InterruptedException {
        victim.signal("STOP");
    }

    void goOn() throws IOException, InterruptedException {
        victim.signal("CONT");
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
        if (!socket.isEmpty()) {
            Path left = Path.of(socket);
            Files.deleteIfExists(left);
            Files.delete(Objects.requireNonNull(left.getParent()));
        }
    }

    /**
     * What the benign peers have seen.
     *
     * @param hiccupMillis the longest time that a thread of their process had to wait for a processor
     * @param waitedMillis how long the node's loop, ready to run, had to wait for one, all in all
     */
    record Report(List<Figures> sessions, long hiccupMillis, long waitedMillis) {

        long gapMillis() {
            return sessions.stream()
                    .mapToLong(session -> session.get("gap"))
                    .max()
                    .orElseThrow();
        }
    }
}
